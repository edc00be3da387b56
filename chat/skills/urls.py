from django.urls import path

from chat.skills import views

app_name = "skills"
urlpatterns = [
    path("", views.index, name="index"),
    path("scan", views.scan, name="scan"),
    path("add", views.add, name="add"),
    path("<uuid:public_id>/", views.skill, name="skill"),
    path("<uuid:public_id>/switch", views.switch, name="switch"),
    path("<uuid:public_id>/remove", views.remove, name="remove"),
    path("<uuid:public_id>/file", views.download, name="download"),
]
