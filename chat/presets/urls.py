from django.urls import path

from chat.presets import views

app_name = "assistants"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.create, name="create"),
    path("import", views.import_preset, name="import"),
    path("<uuid:public_id>/", views.preset, name="preset"),
    path("<uuid:public_id>/edit", views.edit, name="edit"),
    path("<uuid:public_id>/duplicate", views.duplicate, name="duplicate"),
    path("<uuid:public_id>/publish", views.publish, name="publish"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/export", views.export, name="export"),
]
