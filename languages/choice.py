"""Which language a person reads: what they chose (a cookie), else what their browser asks for."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation

Response = HttpResponseBase | Awaitable[HttpResponseBase]


class ChosenLanguage:
    """Middleware: the language of a request counts for all that is done for it. It costs no
    statement: the cookie repeats what a person chose on whatever device."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Response:
        language = translation.get_language_from_request(request)
        translation.activate(language)
        response = self._get_response(request)
        if iscoroutinefunction(self):
            return _awaited(response, language)
        return _labelled(response, language)


async def _awaited(response: Awaitable[HttpResponseBase], language: str) -> HttpResponseBase:
    return _labelled(await response, language)


def _labelled(response: HttpResponseBase, language: str) -> HttpResponseBase:
    if response.headers.get("Content-Type", "").startswith("text/html"):
        response.headers.setdefault("Content-Language", language)
    return response


def language_of_socket(scope: Mapping[str, Any]) -> str:
    """The language of a websocket, from the headers of its handshake."""
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    accepted = dict(scope["headers"]).get(b"accept-language", b"")
    request.META["HTTP_ACCEPT_LANGUAGE"] = accepted.decode("latin-1")
    return translation.get_language_from_request(request)
