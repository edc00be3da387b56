"""ASGI middleware: only our own pages may open a websocket (RFC 6455, 10.2), since browsers send
the session cookie whichever page opens it. Programs open it with a token in place of the cookie,
which does not count for them."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from chat.live.programs import PROGRAM, secret_of
from config import origins

Scope = dict[str, Any]
Application = Callable[..., Awaitable[Any]]


class SameOrigin:
    """Refuses with 403 a handshake whose Origin is absent, or differs in scheme, host or port.

    One that has a token as a subprotocol, or neither Origin nor cookie, is a program's."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if secret_of(scope) or not (b"origin" in headers or b"cookie" in headers):
            kept = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
            await self._application({**scope, "headers": kept, PROGRAM: True}, receive, send)
        elif is_own(headers.get(b"origin", ""), headers.get(b"host", ""), scope["scheme"]):
            await self._application(scope, receive, send)
        else:
            # Closing before accepting means 403 in ASGI.
            await send({"type": "websocket.close", "code": 1008})


def is_own(origin: str, host: str, scheme: str) -> bool:
    """Whether `origin` is that of the request (`host`, if it is allowed) or of ROUNDTRIP_URL."""
    own = [origins.of_url(settings.ROUNDTRIP_URL)]
    if validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        is_secure = scheme == "wss" or settings.HTTPS
        own.append(origins.of_url(f"{'https' if is_secure else 'http'}://{host}"))
    return origins.is_same(origin, filter(None, own))
