"""Below `playground/`."""

from django.urls import path

from chat.playground import views

app_name = "playground"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.create, name="create"),
    path("<uuid:public_id>/", views.playground, name="playground"),
    path("<uuid:public_id>/draft", views.keep_draft, name="draft"),
    path("<uuid:public_id>/run", views.run, name="run"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/runs/<int:number>/", views.playground, name="of_run"),
    path("<uuid:public_id>/runs/<int:number>/outputs", views.outputs_part, name="outputs"),
    path("<uuid:public_id>/runs/<int:number>/stop", views.stop, name="stop"),
]
