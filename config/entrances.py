"""By which door, and from which address, a request or a websocket came in: for the audit log.

The door is a matter of the path; the address is the one that the rate limits use
(`TRUSTED_PROXY_COUNT`).
"""

from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any

from allauth.account.adapter import get_adapter
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from audit.models import Door
from audit.recording import entered
from chat.live.programs import is_program

Response = HttpResponseBase | Awaitable[HttpResponseBase]
Scope = dict[str, Any]

DOORS = (
    ("/admin/", Door.ADMIN),
    ("/api/", Door.API),
    ("/v1/", Door.API),
    ("/gateway/", Door.GATEWAY),
    ("/mcp", Door.MCP),
)


class Entrances:
    """Middleware: what is recorded during a request has its door and address."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Response:
        if iscoroutinefunction(self._get_response):
            return _within(request, self._get_response)
        with entered(door_of(request.path_info), address_of(request)):
            response: HttpResponseBase = self._get_response(request)
            return response


async def _within(
    request: HttpRequest, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]
) -> HttpResponseBase:
    with entered(door_of(request.path_info), address_of(request)):
        return await get_response(request)


class SocketEntrances:
    """ASGI middleware: the same for a websocket. One of a program (`chat.live.programs`)
    brings a token: in a subprotocol, or in its first frame."""

    def __init__(self, application: Callable[..., Awaitable[Any]]) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        door = Door.API if is_program(scope) else Door.PAGE
        with entered(door, address_of_scope(scope)):
            await self._application(scope, receive, send)


def door_of(path: str) -> Door:
    return next((door for prefix, door in DOORS if path.startswith(prefix)), Door.PAGE)


def address_of(request: HttpRequest) -> str | None:
    """The address of the client; None if it is unknown."""
    try:
        return str(get_adapter().get_client_ip(request))
    except (PermissionDenied, ImproperlyConfigured):
        return None


def address_of_scope(scope: Scope) -> str | None:
    """The same for who has no request yet."""
    return address_of(ASGIRequest({**scope, "method": "GET"}, BytesIO()))
