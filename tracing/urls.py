from django.urls import path

from tracing import views

app_name = "tracing"

urlpatterns = [
    path("<uuid:trace_id>.json", views.trace_json, name="trace_json"),
]
