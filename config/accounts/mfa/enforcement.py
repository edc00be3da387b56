"""Middleware: who has to have a second factor and has none is led to set one up, and reaches
nothing else. Websockets and tokens are refused where they come in (`tokens.second_factor`)."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from tokens.second_factor import is_lacking

# Routes of the set-up, and such that need no rights.
OPEN = frozenset(
    (
        *("mfa_index", "mfa_activate_totp", "mfa_add_webauthn", "mfa_list_webauthn"),
        *("mfa_reauthenticate", "mfa_reauthenticate_webauthn", "account_reauthenticate"),
        *("account_logout", "account_inactive", "set_language"),
        *("health", "manifest", "service_worker", "offline"),
    )
)


class SecondFactor:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, options: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        if settings.MFA_REQUIRED == "nobody" or (match and match.view_name in OPEN):
            return None
        if not request.user.is_authenticated or not is_lacking(request.user):
            return None
        if request.method in ("GET", "HEAD") and not _is_of_program(request):
            return redirect("mfa_index")
        error = gettext("Set up a second factor first: this server requires one of you.")
        return JsonResponse({"error": error}, status=403)


def _is_of_program(request: HttpRequest) -> bool:
    is_fetched = request.headers.get("X-Requested-With") == "fetch"
    return is_fetched or request.headers.get("Sec-Fetch-Dest") == "empty"
