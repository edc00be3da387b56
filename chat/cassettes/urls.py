from django.urls import path

from chat.cassettes import builtin_views, views

urlpatterns = [
    path("walkthrough/v1/chat/completions", views.completions, name="walkthrough"),
    path("<str:name>/v1/<path:rest>", builtin_views.serve, name="cassette"),
]
