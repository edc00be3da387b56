"""Signing somebody in by another way than allauth's, through allauth's stages: a second factor is
asked for whatever the way was."""

from allauth.account.internal.flows.login import (
    get_authentication_records,
    perform_login,
    record_authentication,
)
from allauth.account.models import Login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

LINK, INVITATION = "link", "invitation"


def sign_in(request: HttpRequest, user: User, method: str) -> HttpResponse:
    record_authentication(request, user, method)
    response: HttpResponse = perform_login(request, Login(user=user))
    return response


def methods_of(request: HttpRequest, user: User) -> list[str]:
    """By what this person showed who they are, in order, such as `["password", "totp"]`."""
    records = get_authentication_records(request, user)
    return [
        str(one.get("type") if one.get("method") == "mfa" else one["method"]) for one in records
    ]
