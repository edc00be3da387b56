"""Known devices: browsers in which a user has signed in before.

A signed cookie names the user. Sign-ins with it are limited by the device alone and not by address
or name, so that users are not locked out by others who guess their password (OWASP, "Slow down
online guessing attacks with device cookies").
"""

import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from chat import session_use
from chat.personal import sessions
from limits.web import MAX_AGENT, MAX_DEVICE_DAYS

_SALT = "config.accounts.devices"


def remember(response: HttpResponse, request: HttpRequest, user: AbstractBaseUser) -> None:
    """Make this browser a known device of `user`; if it is one, its id stays."""
    if device_of(request, user.get_username()):
        return
    response.set_signed_cookie(
        _cookie_name(),
        f"{secrets.token_urlsafe(12)}:{user.get_username()}",
        salt=_SALT,
        max_age=timedelta(days=MAX_DEVICE_DAYS),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def describe(request: HttpRequest) -> None:
    """Notes in the session where it began, for the list of a person's sessions."""
    request.session[sessions.AGENT] = request.headers.get("User-Agent", "")[:MAX_AGENT]
    request.session[session_use.SINCE] = timezone.now().isoformat()


def device_of(request: HttpRequest, username: str) -> str:
    """The id of the device, if it is known for this user; else ""."""
    cookie = request.get_signed_cookie(
        _cookie_name(), default="", salt=_SALT, max_age=timedelta(days=MAX_DEVICE_DAYS)
    )
    device, _, owner = (cookie or "").partition(":")
    return device if owner and owner.casefold() == username.casefold() else ""


def _cookie_name() -> str:
    return f"{settings.SESSION_COOKIE_NAME}_device"
