from django.urls import path

from chat.prompts import views

app_name = "prompts"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.create, name="create"),
    path("import", views.import_file, name="import"),
    path("export", views.export, name="export"),
    path("<uuid:public_id>/edit", views.edit, name="edit"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/share", views.share, name="share"),
    path("<uuid:public_id>/fill", views.fill, name="fill"),
]
