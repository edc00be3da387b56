from django.urls import path

from api.openai import views

app_name = "openai"
urlpatterns = [
    path("models", views.models, name="models"),
    path("models/<path:name>", views.model, name="model"),
    path("chat/completions", views.chat_completions, name="chat_completions"),
    path("responses", views.responses, name="responses"),
    path("responses/<str:name>", views.response, name="response"),
    path("responses/<str:name>/cancel", views.cancel, name="cancel"),
    path("<path:rest>", views.nothing, name="nothing"),
]
