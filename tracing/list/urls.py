from django.urls import path

from tracing.list import action_views, views

# Included by `tracing.urls`.
urlpatterns = [
    path("", views.index, name="list"),
    path("delete", action_views.delete, name="list_delete"),
    path("export.json", action_views.export_json, name="list_export"),
    path("export.cassette.json", action_views.export_cassette, name="list_cassette"),
]
