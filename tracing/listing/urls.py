from django.urls import path

from tracing.listing import act_views, views

# Included into the app's own.
urlpatterns = [
    path("", views.index, name="list"),
    path("delete", act_views.delete, name="list_delete"),
    path("export.json", act_views.export_json, name="list_export"),
    path("export.cassette.json", act_views.export_cassette, name="list_cassette"),
]
