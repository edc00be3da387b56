from django.urls import path

from chat.projects import file_views, views

app_name = "projects"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.create, name="create"),
    path("choice", views.choice, name="choice"),
    path("<uuid:public_id>/", views.project, name="project"),
    path("<uuid:public_id>/details", views.details, name="details"),
    path("<uuid:public_id>/instructions", views.instructions, name="instructions"),
    path("<uuid:public_id>/archive", views.archive, name="archive"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/conversations", views.conversations, name="conversations"),
    path("<uuid:public_id>/files/", file_views.files, name="files"),
    path("<uuid:public_id>/files/upload", file_views.upload, name="upload"),
    path("files/<uuid:public_id>/", file_views.content, name="file"),
    path("files/<uuid:public_id>/preview", file_views.preview, name="preview"),
    path("files/<uuid:public_id>/replace", file_views.replace, name="replace"),
    path("files/<uuid:public_id>/remove", file_views.remove, name="remove"),
]
