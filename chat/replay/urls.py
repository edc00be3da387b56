from django.urls import path

from chat.replay import views

urlpatterns = [
    path("walkthrough/v1/chat/completions", views.completions, name="walkthrough"),
]
