"""Below `oauth/`: what authorization servers know of us. They do not begin with a server's id."""

from django.urls import path

from tools.accounts import views

app_name = "oauth"
urlpatterns = [
    path("callback", views.callback, name="callback"),
    path("client.json", views.client, name="client"),
]
