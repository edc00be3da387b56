from django.urls import path

from chat.quota_pages import views

app_name = "usage"
urlpatterns = [
    path("", views.index, name="index"),
    path("limits", views.keep, name="keep"),
    path("limits/<uuid:public_id>/remove", views.remove, name="remove"),
]
