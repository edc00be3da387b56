"""Below `servers/`."""

from django.urls import path

from tools import views

app_name = "tools"
urlpatterns = [
    path("", views.servers, name="servers"),
    path("new", views.register, name="register"),
    path("<uuid:public_id>/", views.server, name="server"),
    path("<uuid:public_id>/status", views.status, name="status"),
    path("<uuid:public_id>/edit", views.edit, name="edit"),
    path("<uuid:public_id>/test", views.test, name="test"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
]
