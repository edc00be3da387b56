from django.urls import path

from chat.files import views

urlpatterns = [
    path("", views.panel, name="files"),
    path("count", views.count, name="files_count"),
    path("preview", views.preview, name="file_preview"),
    path("download", views.download, name="file_download"),
    path("image", views.image, name="file_image"),
    path("zip", views.archive, name="files_zip"),
    path("upload", views.upload, name="file_upload"),
    path("remove", views.remove, name="file_remove"),
]
