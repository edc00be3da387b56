"""The user of a request."""

from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest

# Of `request.user`: nobody may be signed in.
AnyUser: TypeAlias = User | AnonymousUser


def signed_in_user(request: HttpRequest) -> User:
    """The user of a view that only people who are signed in reach."""
    assert request.user.is_authenticated
    return request.user
