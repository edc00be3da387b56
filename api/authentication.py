"""Who a request of a program acts for: by its bearer token alone, never by a session's cookie."""

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from audit.models import Door
from audit.recording import entered
from host.log_ids import note
from tokens.access import Access, access_of, bearer
from tokens.models import Scope


def authenticate(request: HttpRequest, scope: Scope | None = None) -> Access:
    """Whose token the request has (RFC 6750, 2.1), who becomes `request.user`. Raises
    `TokenRefused`, and `ScopeMissing` if the token does not allow `scope`."""
    access = access_of(bearer(request.headers.get("Authorization", "")))
    if scope is not None:
        access.require(scope)
    request.user = access.user
    note(user=access.user.pk)
    return access


@contextmanager
def through(door: Door, request: HttpRequest) -> Iterator[None]:
    """What is recorded within it came in by this door, from the address of the request."""
    with entered(door, client_address(request)):
        yield


def client_address(request: HttpRequest) -> str | None:
    """Behind the trusted proxies; None if it is not to be known."""
    try:
        return str(get_adapter().get_client_ip(request)) or None
    except (PermissionDenied, ValueError):
        return None
