"""Below `oauth/`: what authorization servers know of us. They do not begin with a server's id."""

from django.urls import path

from tools import oauth_views

app_name = "oauth"
urlpatterns = [
    path("callback", oauth_views.callback, name="callback"),
    path("client.json", oauth_views.client, name="client"),
]
