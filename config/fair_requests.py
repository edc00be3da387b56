"""ASGI middleware: a limit on concurrent requests per user, so that users do not delay each other.

Up to `MAX_REQUESTS` of a user run at the same time, over all browsers; up to `MAX_WAITING_REQUESTS`
more wait in a queue, and further ones are refused with status 429. Requests without a session are
counted per address, which many people may share, with larger limits; they occupy a slot only once
their whole body has arrived, so that a slow upload occupies none. A client that receives a response
slowly, such as a download, gives its slot back after `MAX_SEND_S`.
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
# Without limits: the endpoint of cassettes, which this machine's workers call, and monitoring.
UNLIMITED_PATHS = ("/cassettes/", "/health", "/metrics")
# Seconds for which the user of a session is cached.
SESSION_CACHE_S = 60.0
REFUSAL = (
    "Too many requests at once: {running} run and {waiting} wait. Wait until some are done, and "
    "try again.\n"
)

Application = Callable[..., Awaitable[Any]]
Scope = dict[str, Any]
# The id of a user, or the address of a request without a session.
Sender = int | str


class FairRequests:
    """The middleware, for one event loop."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._queues: dict[Sender, _RequestQueue] = {}
        self._users: OrderedDict[str, tuple[float, int]] = OrderedDict()

    @property
    def requests(self) -> int:
        """Number of requests that run or wait now."""
        return sum(queue.requests for queue in self._queues.values())

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["path"].startswith(UNLIMITED_PATHS):
            await self._application(scope, receive, send)
            return
        user = await self._user(senders.session_key(scope))
        sender: Sender = user or address(scope)
        queue = self._queues.get(sender)
        if queue is None:
            queue = self._queues[sender] = _RequestQueue(bool(user))
        queue.requests += 1
        try:
            await self._serve(queue, scope, receive, send)
        finally:
            queue.requests -= 1
            if not queue.requests:
                del self._queues[sender]

    async def _serve(self, queue: "_RequestQueue", scope: Scope, receive: Any, send: Any) -> None:
        if queue.is_full:
            await _refuse(queue, send)
            return
        request = _Request(queue, receive, send)
        try:
            if queue.is_of_a_user:
                await request.enter()
            await self._application(scope, request.receive, request.send)
        finally:
            request.leave()

    async def _user(self, session_key: str) -> int:
        """The id of the session's user, 0 if it has none; cached for `SESSION_CACHE_S` seconds."""
        if not session_key:
            return 0
        until, user = self._users.get(session_key, (0.0, 0))
        if until > time.monotonic():
            return user
        if user := await senders.user_of(session_key):
            self._users[session_key] = (time.monotonic() + SESSION_CACHE_S, user)
            self._users.move_to_end(session_key)
            if len(self._users) > MAX_KNOWN_SESSIONS:
                self._users.popitem(last=False)
        return user


class _RequestQueue:
    """The slots of one sender, and the number of its requests that run or wait."""

    def __init__(self, is_of_a_user: bool) -> None:
        self.is_of_a_user = is_of_a_user
        self.max_running, self.max_waiting = (
            (MAX_REQUESTS, MAX_WAITING_REQUESTS)
            if is_of_a_user
            else (MAX_ANONYMOUS_REQUESTS, MAX_ANONYMOUS_WAITING)
        )
        self.slots = Semaphore(self.max_running)
        self.requests = 0

    @property
    def is_full(self) -> bool:
        return self.requests > self.max_running + self.max_waiting


class _Request:
    """A request. It has a slot from `enter` on, which is called at the latest when the last chunk
    of its body arrives, until `leave`."""

    def __init__(self, queue: _RequestQueue, receive: Any, send: Any) -> None:
        self._queue, self._receive, self._send = queue, receive, send
        self._has_entered = self._has_slot = False

    async def enter(self) -> None:
        if not self._has_entered:
            await self._queue.slots.acquire()
            self._has_entered = self._has_slot = True

    def leave(self) -> None:
        if self._has_slot:
            self._has_slot = False
            self._queue.slots.release()

    async def receive(self) -> Any:
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            await self.enter()
        return message

    async def send(self, message: Any) -> None:
        """Gives the slot back if the client takes more than `MAX_SEND_S` seconds to receive."""
        timer = asyncio.get_running_loop().call_later(MAX_SEND_S, self.leave)
        try:
            await self._send(message)
        finally:
            timer.cancel()


def address(scope: Scope) -> str:
    """The client's address, behind the trusted proxies; for IPv6 the /64 network, which usually is
    one household."""
    host = (scope.get("client") or ("",))[0]
    if count := settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        forwarded = b",".join(v for name, v in scope["headers"] if name == b"x-forwarded-for")
        hops = [hop.strip() for hop in forwarded.decode("latin-1").split(",")]
        host = hops[-count] if len(hops) >= count else host
    try:
        client = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network(f"{client}/64", False) if client.version == 6 else client)


async def _refuse(queue: _RequestQueue, send: Any) -> None:
    body = REFUSAL.format(running=queue.max_running, waiting=queue.max_waiting).encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", str(RETRY_AFTER_S).encode()),
        (b"cache-control", b"private, no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": body})
