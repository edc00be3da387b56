from django.urls import path

from chat import views

app_name = "chat"
urlpatterns = [
    path("", views.home, name="home"),
    path("c/<uuid:public_id>/", views.conversation, name="conversation"),
    path("c/<uuid:public_id>/thread", views.thread_partial, name="thread"),
    path("c/<uuid:public_id>/rename", views.rename, name="rename"),
    path("c/<uuid:public_id>/delete", views.delete, name="delete"),
    path("conversations", views.conversation_list, name="conversations"),
    path("turns/<uuid:public_id>/", views.turn, name="turn"),
    path("messages/<uuid:public_id>/text", views.message_text, name="message_text"),
]
