"""The sockets of this process: their hub of feeds, their rights, their threads for the database."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, ParamSpec, Protocol, TypeVar

from channels.db import DatabaseSyncToAsync
from django.db import Error

from chat import rights
from chat.events.feed import Hub
from chat.rights import Ticket

logger = logging.getLogger(__name__)

RIGHTS_SECONDS = 2.5
FORBIDDEN = 4403
NOTICES = {
    False: (
        "redis_down",
        "Live updates are interrupted. What you send is kept, and answered when they are back.",
    ),
    True: ("redis_up", "Live updates are back."),
}

P = ParamSpec("P")
T = TypeVar("T")

_threads = ThreadPoolExecutor(8, thread_name_prefix="socket")


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function that uses the ORM in one of the sockets' threads."""
    call = DatabaseSyncToAsync(function, thread_sensitive=False, executor=_threads)
    return await call(*args, **kwargs)


class Socket(Protocol):
    """What this module needs of a consumer."""

    ticket: Ticket

    async def reply(self, **frame: Any) -> None: ...

    async def close(self, code: int) -> None: ...


class Sockets:
    """All sockets of this process. For the event loop's thread."""

    def __init__(self) -> None:
        self._sockets: set[Socket] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self.hub = Hub(self._redis_changed)

    @staticmethod
    @cache
    def of_this_process() -> "Sockets":
        return Sockets()

    def enter(self, socket: Socket) -> None:
        self._sockets.add(socket)
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep())

    def leave(self, socket: Socket) -> None:
        self._sockets.discard(socket)

    async def still_valid(self, ticket: Ticket) -> bool:
        return bool(await in_database(rights.valid, {ticket}))

    def notice(self) -> dict[str, Any]:
        code, text = NOTICES[self.hub.up]
        return {"type": "notice", "code": code, "text": text}

    async def _redis_changed(self, up: bool) -> None:
        notice = self.notice()
        sockets = list(self._sockets)
        await asyncio.gather(*(s.reply(**notice) for s in sockets), return_exceptions=True)

    async def _sweep(self) -> None:
        """Closes the sockets whose rights have ended."""
        while True:
            await asyncio.sleep(RIGHTS_SECONDS)
            sockets = list(self._sockets)
            if not sockets:
                continue
            try:
                valid = await in_database(rights.valid, {socket.ticket for socket in sockets})
            except Error:
                logger.exception("The rights of open sockets could not be checked")
                continue
            ended = [socket for socket in sockets if socket.ticket not in valid]
            await asyncio.gather(*(s.close(FORBIDDEN) for s in ended), return_exceptions=True)
