"""Accounts at servers: connecting one, coming back from the authorization server, and ending it."""

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from tools.accounts import connections, sign_ins
from tools.models import Account, Server
from tools.rights import signed_in, visible


@signed_in
@require_POST
def connect(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Begin a sign-in; the server's page shows how far it is."""
    server = visible(request, public_id)
    if server.uses_oauth:
        sign_ins.ask(server, _user_pk(request), _callback(request))
    return redirect(f"{server.get_absolute_url()}#account")


@signed_in
@require_POST
def cancel(request: HttpRequest, public_id: UUID) -> HttpResponse:
    server = visible(request, public_id)
    sign_ins.cancel(server, _user_pk(request))
    return redirect(f"{server.get_absolute_url()}#account")


@signed_in
@require_POST
def disconnect(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Forget the account: its tokens, and the client that was registered for it."""
    server = visible(request, public_id)
    sign_ins.cancel(server, _user_pk(request))
    Account.objects.filter(server=server, user=_user_pk(request)).delete()
    return redirect(f"{server.get_absolute_url()}#account")


@signed_in
@require_safe
def account(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The part of a server's page that says whose account is used; polled during a sign-in."""
    server = visible(request, public_id)
    return render(request, "tools/_account.html", shown(server, _user_pk(request)))


@signed_in
@require_safe
def account_of(request: HttpRequest, name: str) -> HttpResponse:
    """From a call's card, which knows a server by its name, to the account."""
    server = get_object_or_404(Server, name=name)
    return redirect(f"{visible(request, server.public_id).get_absolute_url()}#account")


@signed_in
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    """Where authorization servers send the browser back to. The worker that waits takes over."""
    row = sign_ins.came_back(_user_pk(request), request.GET.dict())
    if row is None:
        return render(request, "tools/sign_in_unknown.html", status=400)
    return redirect(f"{row.server.get_absolute_url()}#account")


@require_safe
@cache_control(public=True, max_age=3600)
def client(request: HttpRequest) -> HttpResponse:
    """What authorization servers may know about us (a client id metadata document)."""
    url = connections.metadata_url() or request.build_absolute_uri(reverse("oauth:client"))
    return JsonResponse(
        {
            "client_id": url,
            "client_name": "Roundtrip",
            "redirect_uris": [connections.public_url("oauth:callback")],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "web",
        }
    )


def shown(server: Server, user_pk: int) -> dict[str, Any]:
    """What `_account.html` needs. A token never gets there."""
    sign_in = sign_ins.current(server, user_pk)
    host = urlsplit(sign_in.authorization_url).netloc if sign_in else ""
    account = connections.connected(server, user_pk)
    return {
        "server": server,
        "account": account,
        "has_ended": account is not None and connections.has_ended(account),
        "renews": account is not None and connections.renews(account),
        "sign_in": sign_in,
        "sign_in_host": host,
    }


def _callback(request: HttpRequest) -> str:
    """Our address as this browser knows it, unless the operator has said it."""
    if settings.ROUNDTRIP_URL:
        return connections.public_url("oauth:callback")
    return request.build_absolute_uri(reverse("oauth:callback"))


def _user_pk(request: HttpRequest) -> int:
    assert request.user.pk is not None, "the page is for people who are signed in"
    return int(request.user.pk)
