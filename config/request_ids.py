"""The id of a request: in its log lines, its response and its error page.

A proxy in front may have given the request one (`X-Request-ID`); one that is no plain word, or is
missing, is replaced.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest

from host.log_ids import log_ids, note

HEADER = b"x-request-id"
SANE = re.compile(r"[A-Za-z0-9._=+/-]{1,64}")
STARTS = ("http.response.start", "websocket.accept")

Application = Callable[..., Awaitable[Any]]


class RequestIds:
    """ASGI middleware for requests and websockets. A response that has an id, as those which the
    gateway passes on, keeps it."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        request_id = given(scope["headers"]) or uuid4().hex
        header = (HEADER, request_id.encode())

        async def sent(message: dict[str, Any]) -> None:
            if message["type"] in STARTS:
                headers = list(message.get("headers") or ())
                if not any(name.lower() == HEADER for name, _ in headers):
                    message = {**message, "headers": [*headers, header]}
            await send(message)

        with log_ids(request=request_id):
            await self._application(scope, receive, sent)


def given(headers: list[tuple[bytes, bytes]]) -> str:
    """The id that the request brings, if it is sane; else ""."""
    value = next((value for name, value in headers if name == HEADER), b"").decode("latin-1")
    return value if SANE.fullmatch(value) else ""


class KnownUser:
    """Django's middleware: log lines have the user's id as soon as the session was read."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        note(user=lambda: getattr(getattr(request, "_cached_user", None), "pk", None))
        return self._get_response(request)
