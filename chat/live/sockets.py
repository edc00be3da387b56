"""The sockets of this process: their feeds, periodic checks of their rights, and which temporary
conversations they watch."""

import asyncio
import logging
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from chat.commands import temporary
from chat.live import rights, together
from chat.live.feed import Hub
from chat.live.missed_endings import MissedEndings
from chat.live.together import SharedSocket, Together
from db.redis_pool import ASYNC_ERRORS
from db.threads import from_loop
from languages.stored import stored
from limits.web import MAX_SOCKETS

logger = logging.getLogger(__name__)

RIGHTS_INTERVAL_S = 2.5
MISSED_ENDINGS_INTERVAL_S = 5.0
FORBIDDEN = 4403
# Close code of a socket beyond a user's `MAX_SOCKETS`.
TOO_MANY = 4429
NOTICES = {
    False: (
        "redis_down",
        stored("Live updates are interrupted. Messages are kept and answered when they are back."),
    ),
    True: ("redis_up", stored("Live updates are back.")),
}


class Socket(SharedSocket, Protocol):
    """What this module needs of a consumer."""

    async def notify(self, notice: dict[str, Any]) -> None: ...

    async def close(self, code: int) -> None: ...


class Sockets:
    """All sockets of this process. For the event loop's thread."""

    def __init__(self) -> None:
        self._sockets: set[Socket] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self.hub = Hub(self._redis_changed)
        self.missed_endings = MissedEndings(self.hub)
        self._together = Together(self.hub)

    @staticmethod
    def of_this_process() -> "Sockets":
        """The sockets of the running loop. A process has one loop."""
        loop = asyncio.get_running_loop()
        if loop not in _by_loop:
            _by_loop[loop] = Sockets()
        return _by_loop[loop]

    def enter(self, socket: Socket) -> None:
        self._sockets.add(socket)
        if not self._tasks:
            tasks = (self._sweep(), self._watch(), self._keep_watched(), self._meet())
            self._tasks = [asyncio.create_task(task) for task in tasks]

    def has_room(self, user_id: int) -> bool:
        """Whether this user may open one more."""
        count = sum(socket.ticket.user_id == user_id for socket in self._sockets)
        return count < MAX_SOCKETS

    def leave(self, socket: Socket) -> None:
        self._sockets.discard(socket)

    def notice(self) -> dict[str, Any]:
        code, text = NOTICES[self.hub.up]
        return {"type": "notice", "code": code, "text": text}

    async def _redis_changed(self, up: bool) -> None:
        notice = self.notice()
        sockets = list(self._sockets)
        await asyncio.gather(*(s.notify(notice) for s in sockets), return_exceptions=True)

    async def _watch(self) -> None:
        """Finds events that were lost at the end of a log, where no gap shows it."""
        while True:
            await asyncio.sleep(MISSED_ENDINGS_INTERVAL_S)
            await self.missed_endings.look()

    async def _keep_watched(self) -> None:
        """Says of the temporary conversations that are followed here that they are."""
        while True:
            await asyncio.sleep(temporary.WATCH_INTERVAL_S)
            followed = [one.followed.conversation for one in self._sockets if one.followed]
            watched = {one.pk for one in followed if one.is_temporary}
            if not watched:
                continue
            try:
                await from_loop(temporary.watch, watched)
            except Exception:
                # Whatever the error, this task has to go on.
                logger.exception("Temporary conversations could not be kept")

    async def _meet(self) -> None:
        """Tells who is where, and ends what is not shared any more."""
        while True:
            await asyncio.sleep(together.INTERVAL_S)
            try:
                await self._together.look(list(self._sockets))
            except ASYNC_ERRORS as error:
                logger.warning("Who is there could not be told: %s", error)
            except Exception:
                # Whatever the error, this task has to go on.
                logger.exception("Shared conversations could not be checked")

    async def _sweep(self) -> None:
        """Closes the sockets whose rights have ended."""
        while True:
            await asyncio.sleep(RIGHTS_INTERVAL_S)
            sockets = list(self._sockets)
            if not sockets:
                continue
            try:
                valid = await from_loop(rights.valid, {socket.ticket for socket in sockets})
            except Exception:
                # Whatever the error, this task has to go on.
                logger.exception("The rights of open sockets could not be checked")
                continue
            ended = [socket for socket in sockets if socket.ticket not in valid]
            await asyncio.gather(*(s.close(FORBIDDEN) for s in ended), return_exceptions=True)


_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Sockets] = WeakKeyDictionary()
