from django.urls import path

from tracing.dashboard import views

urlpatterns = [path("", views.dashboard, name="dashboard")]
