"""Below `traces/`, beside the pages of the trace itself."""

from django.urls import path

from chat.trace_views import fork_views

app_name = "fork"
urlpatterns = [path("<uuid:trace_id>/rounds/<int:number>/fork", fork_views.fork, name="round")]
