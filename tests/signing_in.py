"""People who are signed in, as Django's test client and as the header of a request."""

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def session_cookie(user: User) -> str:
    """The Cookie header."""
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={signed_in(user).cookies[name].value}"
