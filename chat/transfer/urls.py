from django.urls import path

from chat.transfer import export_views, import_views

app_name = "transfer"
urlpatterns = [
    path("c/<uuid:public_id>", export_views.conversation, name="export"),
    path("all", export_views.conversations, name="export_all"),
    path("imports/upload", import_views.upload, name="upload"),
    path("imports/<uuid:public_id>/", import_views.page, name="import"),
    path("imports/<uuid:public_id>/status", import_views.status, name="import_status"),
    path("imports/<uuid:public_id>/begin", import_views.begin, name="import_begin"),
    path("imports/<uuid:public_id>/cancel", import_views.cancel, name="import_cancel"),
]
