from django.urls import path

from tracing.stats.dashboard import views

urlpatterns = [path("", views.dashboard, name="dashboard")]
