"""The sender of a request, from its headers alone."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.http.cookie import parse_cookie
from django.http.request import HttpHeaders

from chat.cassettes import builtin
from db.threads import from_loop
from tokens.access import TokenRefused, access_of, bearer

Scope = dict[str, Any]


async def is_known(scope: Scope) -> bool:
    """Whether the request has the session of an active user, or the key of the cassette at its
    path."""
    environ = {
        f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}": value.decode("latin-1")
        for name, value in scope["headers"]
    }
    headers = HttpHeaders(environ)
    return await from_loop(
        _is_known, session_key(scope), bearer_secret(scope), scope.get("path", ""), headers
    )


def session_key(scope: Scope) -> str:
    """The key in the session cookie; "" without one."""
    cookies = b";".join(value for name, value in scope["headers"] if name == b"cookie")
    return parse_cookie(cookies.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")


def bearer_secret(scope: Scope) -> str:
    """The bearer token of the request; "" without one."""
    headers = (value for name, value in scope["headers"] if name == b"authorization")
    return bearer(next(headers, b"").decode("latin-1"))


async def user_of(session_key: str) -> int:
    """The id of the session's active user; 0 if there is none."""
    return await from_loop(_user_of, session_key)


async def user_of_token(secret: str) -> int:
    """The id of the user that the token stands for; 0 if it is refused."""
    return await from_loop(_user_of_token, secret)


def _is_known(session_key: str, secret: str, path: str, headers: HttpHeaders) -> bool:
    has_session = bool(session_key and _user_of(session_key))
    has_token = bool(secret and _user_of_token(secret))
    return has_session or has_token or _has_cassette_key(path, headers)


def _user_of_token(secret: str) -> int:
    try:
        return access_of(secret).user.pk
    except TokenRefused:
        return 0


def _user_of(session_key: str) -> int:
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    return get_user(request).pk or 0


def _has_cassette_key(path: str, headers: HttpHeaders) -> bool:
    parts = path.split("/")
    if len(parts) < 3 or parts[1] != "cassettes":
        return False
    provider = builtin.find(parts[2])
    return provider is not None and builtin.is_allowed(headers, provider)
