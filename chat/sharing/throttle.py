"""Limits guesses of addresses: those of no open link are counted by the client's address, as the
sign-in does it, or by the user who is signed in."""

from allauth.account.adapter import get_adapter
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from limits.sharing import MAX_UNKNOWN_LINKS

_PERIOD_S = 600


def is_refused(request: HttpRequest) -> bool:
    count: int = cache.get(_key(request), 0)
    return count >= MAX_UNKNOWN_LINKS


def count_unknown(request: HttpRequest) -> None:
    key = _key(request)
    if not cache.add(key, 1, _PERIOD_S):
        try:
            cache.incr(key)
        except ValueError:  # over since
            cache.set(key, 1, _PERIOD_S)


def _key(request: HttpRequest) -> str:
    if request.user.is_authenticated:
        return f"shared-links:user:{request.user.pk}"
    try:
        return f"shared-links:address:{get_adapter().get_client_ip(request)}"
    except PermissionDenied:
        return "shared-links:address:unknown"
