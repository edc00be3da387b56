"""Addresses of pages. Django resolves each anew, which a page of links does a hundred times."""

from functools import lru_cache
from typing import Any

from django.conf import settings
from django.urls import get_script_prefix, get_urlconf, reverse

# Addresses that a process caches: those of a few hundred pages of lists.
CACHE_SIZE = 8_192


def address(name: str, *args: Any) -> str:
    """As `django.urls.reverse`, which depends on nothing else; the arguments are hashable."""
    return _address(get_urlconf() or settings.ROOT_URLCONF, get_script_prefix(), name, args)


@lru_cache(maxsize=CACHE_SIZE)
def _address(urlconf: str, prefix: str, name: str, args: tuple[Any, ...]) -> str:
    return reverse(name, urlconf, args)
