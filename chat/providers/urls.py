"""Below `providers/`."""

from django.urls import path

from chat.providers import cassette_views, model_views, views

app_name = "providers"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.create, name="create"),
    path("cassettes/new", cassette_views.create, name="create_cassette"),
    path("<uuid:public_id>/", views.provider, name="provider"),
    path("<uuid:public_id>/edit", views.edit, name="edit"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/list", views.list_models, name="list"),
    path("<uuid:public_id>/add", views.add_models, name="add"),
    path("<uuid:public_id>/models/new", model_views.create, name="create_model"),
    path("models/<uuid:public_id>/", model_views.model, name="model"),
    path("models/<uuid:public_id>/status", model_views.status, name="status"),
    path("models/<uuid:public_id>/edit", model_views.edit, name="edit_model"),
    path("models/<uuid:public_id>/test", model_views.test, name="test"),
    path("models/<uuid:public_id>/probe", model_views.probe, name="probe"),
    path("models/<uuid:public_id>/default", model_views.make_default, name="default"),
    path("models/<uuid:public_id>/offer", model_views.offer, name="offer"),
    path("models/<uuid:public_id>/move", model_views.move, name="move"),
    path("models/<uuid:public_id>/delete", model_views.delete, name="delete_model"),
]
