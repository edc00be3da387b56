"""ASGI middleware: a limit on concurrent requests per user, so that users do not delay each other.

Up to `MAX_REQUESTS` of a user run at the same time, over all browsers and tokens; up to
`MAX_WAITING_REQUESTS` more wait in a queue, and further ones are refused with status 429. Requests
without a session or token are counted per address, which many people may share, with larger limits;
they occupy a slot only once their whole body has arrived, so that a slow upload occupies none. A
client that receives a response slowly, such as a download, gives its slot back after `MAX_SEND_S`.
An event stream, which may last for hours, gives it back as it begins, and counts no more.
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
from config.refusals import refuse
from limits.web import (
    MAX_ANONYMOUS_REQUESTS,
    MAX_ANONYMOUS_WAITING,
    MAX_KNOWN_SESSIONS,
    MAX_REQUESTS,
    MAX_SEND_S,
    MAX_WAITING_REQUESTS,
)
from tokens.models import digest

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
        user = await self._sender(scope)
        sender: Sender = user or address(scope)
        queue = self._queues.get(sender)
        if queue is None:
            queue = self._queues[sender] = _RequestQueue(bool(user))
        queue.requests += 1
        try:
            await self._serve(queue, scope, receive, send)
        finally:
            self._leave(sender, queue)

    def _leave(self, sender: Sender, queue: "_RequestQueue") -> None:
        queue.requests -= 1
        if not queue.requests and self._queues.get(sender) is queue:
            del self._queues[sender]

    async def _serve(self, queue: "_RequestQueue", scope: Scope, receive: Any, send: Any) -> None:
        if queue.is_full:
            await _refuse(queue, scope, send)
            return
        request = _Request(queue, receive, send)
        try:
            if queue.is_of_a_user:
                await request.enter()
            await self._application(scope, request.receive, request.send)
        finally:
            request.leave()
            if request.is_stream:  # `_leave` counts it once more
                queue.requests += 1

    async def _sender(self, scope: Scope) -> int:
        """The id of the user of the session, or of the bearer token; 0 if there is none."""
        if user := await self._user(senders.session_key(scope), senders.user_of):
            return user
        return await self._user(senders.bearer_secret(scope), senders.user_of_token)

    async def _user(self, key: str, find: Callable[[str], Awaitable[int]]) -> int:
        """The id of the user with this key, 0 without one; cached for `SESSION_CACHE_S` seconds."""
        if not key:
            return 0
        cached = digest(key)
        until, user = self._users.get(cached, (0.0, 0))
        if until > time.monotonic():
            return user
        if user := await find(key):
            self._users[cached] = (time.monotonic() + SESSION_CACHE_S, user)
            self._users.move_to_end(cached)
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
        self._has_entered = self._has_slot = self.is_stream = False

    async def enter(self) -> None:
        if not self._has_entered:
            await self._queue.slots.acquire()
            self._has_entered = self._has_slot = True

    def _stop_counting(self) -> None:
        self.leave()
        if not self.is_stream:
            self.is_stream = True
            self._queue.requests -= 1

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
        """Gives the slot back if the client takes more than `MAX_SEND_S` seconds to receive, and at
        the beginning of an event stream."""
        if is_event_stream(message):
            self._stop_counting()
        timer = asyncio.get_running_loop().call_later(MAX_SEND_S, self.leave)
        try:
            await self._send(message)
        finally:
            timer.cancel()


def is_event_stream(message: Any) -> bool:
    """Whether this message begins a response of server-sent events."""
    headers = message.get("headers", ()) if message["type"] == "http.response.start" else ()
    kinds = (value for name, value in headers if name.lower() == b"content-type")
    return bool(next(kinds, b"").startswith(b"text/event-stream"))


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


async def _refuse(queue: _RequestQueue, scope: Scope, send: Any) -> None:
    sentence = REFUSAL.format(running=queue.max_running, waiting=queue.max_waiting)
    headers = [
        (b"retry-after", str(RETRY_AFTER_S).encode()),
        (b"cache-control", b"private, no-store"),
    ]
    await refuse(scope, send, 429, sentence, headers)
