"""Below `traces/`, beside the pages of the trace itself."""

from django.urls import path

from chat.trace_views.prompt import views

app_name = "prompt"
urlpatterns = [
    path("<uuid:trace_id>/rounds/<int:number>/prompt", views.page, name="page"),
    path("<uuid:trace_id>/rounds/<int:number>/prompt/part", views.part, name="part"),
    path("<uuid:trace_id>/rounds/<int:number>/prompt.txt", views.plain, name="plain"),
]
