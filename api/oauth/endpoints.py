"""What programs themselves call: tokens, registration, revocation."""

import json
from typing import Any

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from api.oauth import clients, metadata
from api.oauth.clients import UnfitClient
from api.oauth.metadata import SCOPES
from limits.mcp_server import MAX_ACCESS_TOKEN_AGE, MAX_OAUTH_CLIENT_BYTES
from tokens.programs import commands
from tokens.programs.commands import GrantRefused, Issued


@csrf_exempt
@never_cache
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """Tokens for a code or a refresh token (OAuth 2.1, 3.2)."""
    if not ratelimit.consume(request, action="program_token"):
        return _error("temporarily_unavailable", "Too many requests. Try again in a minute.", 429)
    try:
        issued = _issue(request)
    except GrantRefused as refused:
        return _error(refused.code, str(refused))
    response = JsonResponse(
        {
            "access_token": issued.access_token,
            "token_type": "Bearer",
            "expires_in": int(MAX_ACCESS_TOKEN_AGE.total_seconds()),
            "refresh_token": issued.refresh_token,
            "scope": " ".join(issued.scopes),
        }
    )
    return response


def _issue(request: HttpRequest) -> Issued:
    given = request.POST
    if any(len(given.getlist(name)) > 1 for name in given):
        raise GrantRefused("A parameter stands twice.", "invalid_request")
    client_id = given.get("client_id", "")
    resource = _resource(request)
    match given.get("grant_type"):
        case "authorization_code":
            return commands.exchange(
                given.get("code", ""),
                client_id=client_id,
                redirect_uri=given.get("redirect_uri", ""),
                verifier=given.get("code_verifier", ""),
                resource=resource,
            )
        case "refresh_token":
            return commands.refresh(
                given.get("refresh_token", ""),
                client_id=client_id,
                scopes=given.get("scope", "").split(),
                resource=resource,
            )
    raise GrantRefused(
        "grant_type is authorization_code or refresh_token.", "unsupported_grant_type"
    )


def _resource(request: HttpRequest) -> str:
    """This server's own address stands for its one resource, too."""
    from_program = request.POST.get("resource", "").rstrip("/")
    base = metadata.base_url(request)
    return metadata.resource_url(request) if from_program == base else from_program


@csrf_exempt
@never_cache
@require_POST
def register(request: HttpRequest) -> HttpResponse:
    """Dynamic client registration (RFC 7591)."""
    if not ratelimit.consume(request, action="register_program"):
        return _error("temporarily_unavailable", "Too many programs. Try again in an hour.", 429)
    try:
        name, uris = clients.read_metadata(_described(request))
    except UnfitClient as unfit:
        return _error(unfit.code, str(unfit))
    client = commands.register(name, uris)
    document = {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(SCOPES),
    }
    return JsonResponse(document, status=201)


def _described(request: HttpRequest) -> Any:
    if len(request.body) > MAX_OAUTH_CLIENT_BYTES:
        raise UnfitClient(f"Send at most {MAX_OAUTH_CLIENT_BYTES:,} bytes.")
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError):
        raise UnfitClient("Send JSON.") from None


@csrf_exempt
@never_cache
@require_POST
def revoke(request: HttpRequest) -> HttpResponse:
    """Ends the connection that a token is of; also an unknown one is answered with 200 (RFC 7009,
    2.2)."""
    if not ratelimit.consume(request, action="program_token"):
        return _error("temporarily_unavailable", "Too many requests. Try again in a minute.", 429)
    given = request.POST.get("token", "")
    if not given:
        return _error("invalid_request", "token is needed.")
    commands.revoke(given)
    return HttpResponse(status=200)


def _error(code: str, sentence: str, status: int = 400) -> HttpResponse:
    """OAuth 2.1, 3.2.4."""
    document = {"error": code, "error_description": sentence}
    return JsonResponse(document, status=status)
