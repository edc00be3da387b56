"""Requests of a person, shared so that nobody's pages wait behind those of somebody else.

Up to `MAX_REQUESTS` of a user run at the same time, from whichever browsers they come; up to
`MAX_WAITING_REQUESTS` more wait for those, and what is beyond is refused (429). Strangers are told
apart by their address, behind which many people may be; a place is theirs only once their body has
come, so that a slow one takes nobody's. Who takes an answer slowly, such as a download, gives the
place back.
"""

import asyncio
import ipaddress
import time
from asyncio import Semaphore
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from config import senders
from limits.web import (
    MAX_ANONYMOUS_REQUESTS,
    MAX_ANONYMOUS_WAITING,
    MAX_KNOWN_SESSIONS,
    MAX_REQUESTS,
    MAX_SEND_S,
    MAX_WAITING_REQUESTS,
)

RETRY_AFTER_S = 2
# The endpoint that cassettes answer at, for the workers of this machine; and what watches it.
OPEN_TO_ALL = ("/cassettes/", "/health", "/metrics")
# How long it is known, without a look at the database, whose session it is.
KNOWN_S = 60.0
REFUSED = (
    "Too many requests at once: {share} run and {line} wait. Wait until some are done, and try "
    "again.\n"
)

Application = Callable[..., Awaitable[Any]]
Scope = dict[str, Any]
# The id of a user, or the address of a stranger.
Sender = int | str


class FairRequests:
    """ASGI middleware, for one event loop."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._lines: dict[Sender, _Line] = {}
        self._users: OrderedDict[str, tuple[float, int]] = OrderedDict()

    @property
    def requests(self) -> int:
        """How many run or wait now."""
        return sum(line.requests for line in self._lines.values())

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["path"].startswith(OPEN_TO_ALL):
            await self._application(scope, receive, send)
            return
        user = await self._user(senders.session_key(scope))
        sender: Sender = user or address(scope)
        line = self._lines.get(sender)
        if line is None:
            line = self._lines[sender] = _Line(bool(user))
        line.requests += 1
        try:
            await self._serve(line, scope, receive, send)
        finally:
            line.requests -= 1
            if not line.requests:
                del self._lines[sender]

    async def _serve(self, line: "_Line", scope: Scope, receive: Any, send: Any) -> None:
        if line.is_full:
            await _refuse(line, send)
            return
        request = _Request(line, receive, send)
        try:
            if line.is_of_a_user:
                await request.enter()
            await self._application(scope, request.receive, request.send)
        finally:
            request.leave()

    async def _user(self, session_key: str) -> int:
        """Whose session it is; 0 for nobody's. It is looked up once in `KNOWN_S` seconds."""
        if not session_key:
            return 0
        until, user = self._users.get(session_key, (0.0, 0))
        if until > time.monotonic():
            return user
        if user := await senders.user_of(session_key):
            self._users[session_key] = (time.monotonic() + KNOWN_S, user)
            self._users.move_to_end(session_key)
            if len(self._users) > MAX_KNOWN_SESSIONS:
                self._users.popitem(last=False)
        return user


class _Line:
    """The places of a sender, and how many requests want one."""

    def __init__(self, is_of_a_user: bool) -> None:
        self.is_of_a_user = is_of_a_user
        self.share, self.line = (
            (MAX_REQUESTS, MAX_WAITING_REQUESTS)
            if is_of_a_user
            else (MAX_ANONYMOUS_REQUESTS, MAX_ANONYMOUS_WAITING)
        )
        self.places = Semaphore(self.share)
        self.requests = 0

    @property
    def is_full(self) -> bool:
        return self.requests > self.share + self.line


class _Request:
    """One that has a place from `enter` on, at the latest with the last piece of its body."""

    def __init__(self, line: _Line, receive: Any, send: Any) -> None:
        self._line, self._receive, self._send = line, receive, send
        self._has_entered = self._has_place = False

    async def enter(self) -> None:
        if not self._has_entered:
            await self._line.places.acquire()
            self._has_entered = self._has_place = True

    def leave(self) -> None:
        if self._has_place:
            self._has_place = False
            self._line.places.release()

    async def receive(self) -> Any:
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            await self.enter()
        return message

    async def send(self, message: Any) -> None:
        """A client that is slow to take it needs no place any more."""
        slow = asyncio.get_running_loop().call_later(MAX_SEND_S, self.leave)
        try:
            await self._send(message)
        finally:
            slow.cancel()


def address(scope: Scope) -> str:
    """Where a request comes from, past the proxies that are ours; of IPv6 the network of 64 bits,
    which one household has."""
    host = (scope.get("client") or ("",))[0]
    if count := settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        forwarded = b",".join(v for name, v in scope["headers"] if name == b"x-forwarded-for")
        hops = [hop.strip() for hop in forwarded.decode("latin-1").split(",")]
        host = hops[-count] if len(hops) >= count else host
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network(f"{found}/64", False) if found.version == 6 else found)


async def _refuse(line: _Line, send: Any) -> None:
    body = REFUSED.format(share=line.share, line=line.line).encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", str(RETRY_AFTER_S).encode()),
        (b"cache-control", b"private, no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": body})
