"""Pages have private content: caches do not store them, unless the view sets `Cache-Control`."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

Response = HttpResponseBase | Awaitable[HttpResponseBase]


class PrivatePages:
    """Middleware: adds `Cache-Control: private, no-store` (RFC 9111, 5.2.2) to each response that
    has no `Cache-Control` of its own."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Response:
        response = self._get_response(request)
        if iscoroutinefunction(self):
            return _awaited(response)
        return _private(response)


async def _awaited(response: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    return _private(await response)


def _private(response: HttpResponseBase) -> HttpResponseBase:
    if not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_store=True)
    return response
