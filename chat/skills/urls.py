from django.urls import path

from chat.skills import choice_views, views

app_name = "skills"
urlpatterns = [
    path("", views.index, name="index"),
    path("scan", views.scan, name="scan"),
    path("add", views.add, name="add"),
    path("choice", choice_views.of_a_new_one, name="choice"),
    path("choice/<uuid:public_id>", choice_views.of_a_conversation, name="choice_of"),
    path("<uuid:public_id>/", views.skill, name="skill"),
    path("<uuid:public_id>/switch", views.switch, name="switch"),
    path("<uuid:public_id>/groups", views.give, name="give"),
    path("<uuid:public_id>/remove", views.remove, name="remove"),
    path("<uuid:public_id>/file", views.download, name="download"),
]
