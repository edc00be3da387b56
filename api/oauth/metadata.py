"""What this server tells of itself as authorization server and as protected resource."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from languages.later import later
from tokens.models import Scope

# What a program can be allowed; what goes beyond the person's own only a token of the settings has.
SCOPES = (Scope.TRACES, Scope.CHAT)
MEANINGS = {
    Scope.TRACES: later("Read your traces, with everything that was said and attached in them"),
    Scope.CHAT: later("Send messages to assistants for you, and run requests in the playground"),
}
RESOURCE_PATH = "/mcp"


def base_url(request: HttpRequest) -> str:
    """The issuer (RFC 8414, 2): the public address, without a slash at its end."""
    return settings.ROUNDTRIP_URL or f"{request.scheme}://{request.get_host()}"


def resource_url(request: HttpRequest) -> str:
    return base_url(request) + RESOURCE_PATH


@require_safe
@cache_control(public=True, max_age=3600)
def protected_resource(request: HttpRequest) -> JsonResponse:
    """RFC 9728, 2."""
    return JsonResponse(
        {
            "resource": resource_url(request),
            "authorization_servers": [base_url(request)],
            "scopes_supported": [str(one) for one in SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Roundtrip",
        }
    )


@require_safe
@cache_control(public=True, max_age=3600)
def authorization_server(request: HttpRequest) -> JsonResponse:
    """RFC 8414, 2."""
    base = base_url(request)
    document: dict[str, Any] = {
        "issuer": base,
        "authorization_endpoint": base + reverse("programs:authorize"),
        "token_endpoint": base + reverse("programs:token"),
        "registration_endpoint": base + reverse("programs:register"),
        "revocation_endpoint": base + reverse("programs:revoke"),
        "scopes_supported": [str(one) for one in SCOPES],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }
    return JsonResponse(document)
