from django.urls import path

from chat.personal import views

app_name = "settings"
urlpatterns = [
    path("", views.index, name="index"),
    path("theme", views.theme, name="theme"),
    path("keep/<slug:section>", views.keep, name="keep"),
]
