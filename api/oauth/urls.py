from django.urls import path

from api.oauth import consent, endpoints, metadata

app_name = "programs"
_METADATA = ".well-known/oauth-protected-resource"
urlpatterns = [
    path(_METADATA, metadata.protected_resource, name="resource"),
    # Where clients look first: with the path of the resource (RFC 9728, 3.1).
    path(f"{_METADATA}/mcp", metadata.protected_resource, name="resource_of_path"),
    path(".well-known/oauth-authorization-server", metadata.authorization_server, name="server"),
    path("oauth2/authorize", consent.authorize, name="authorize"),
    path("oauth2/token", endpoints.token, name="token"),
    path("oauth2/register", endpoints.register, name="register"),
    path("oauth2/revoke", endpoints.revoke, name="revoke"),
]
