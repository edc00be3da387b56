"""Following a conversation for a socket: forwards the events of its log after a cursor."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from chat.events.log import EventId, encode
from chat.live.feed import Feed, Hub, Lost
from chat.live.snapshot import snapshot
from chat.models import Conversation
from db.threads import from_loop
from limits.web import MAX_EVENTS_A_FRAME

SNAPSHOT_PAUSE_S = 0.5
CANCEL_INTERVAL_S = 0.05

logger = logging.getLogger(__name__)


class Writer(Protocol):
    """Sends encoded frames, in order, as one message of a socket."""

    def write(self, frames: Sequence[bytes]) -> bool:
        """False if the socket does not take them at once: nothing was sent."""
        ...

    async def send(self, frames: Sequence[bytes]) -> None:
        """Returns when the socket has taken them."""
        ...


class Following:
    """One conversation, followed from `begin` to `end` by a task of its own.

    While the socket keeps pace the task sleeps: new events are written to the socket as they are
    announced, without a switch of tasks. `failed` is called with the task if it ends by itself,
    which only an error makes it do.
    """

    def __init__(
        self,
        hub: Hub,
        conversation: Conversation,
        writer: Writer,
        failed: "Callable[[asyncio.Task[None]], None]",
    ) -> None:
        self._hub = hub
        self.conversation = conversation
        self._writer = writer
        self._failed = failed
        self._task: asyncio.Task[None] | None = None
        self._cursor: EventId | None = None
        self._more = asyncio.Event()
        # The losses of the feed that the client's state makes up for.
        self._losses = 0
        # Set while everything up to `_cursor` was sent and the task sleeps.
        self._sent: Feed | None = None

    def begin(self, cursor: EventId | None, *, snapshot_first: bool) -> None:
        """Without cursor and snapshot it begins with the log's first event: the conversation is
        new."""
        self._cursor = cursor
        self._task = asyncio.create_task(self._forward(snapshot_first))
        self._task.add_done_callback(self._ended)

    async def end(self) -> None:
        task, self._task = self._task, None
        while task is not None and not task.done():
            # Repeatedly: redis-py may swallow a cancellation.
            task.cancel()
            await asyncio.wait([task], timeout=CANCEL_INTERVAL_S)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if task.cancelled():
            return
        error = task.exception()  # read in any case, or asyncio logs that it never was
        if task is self._task:
            self._failed(task)
        elif error is not None and not isinstance(error, OSError):
            logger.error("A follower failed while it was ended", exc_info=error)

    async def _forward(self, snapshot_first: bool) -> None:
        hub = self._hub
        feed = await hub.follow(self.conversation.public_id, self._wake)
        self._losses = feed.losses
        try:
            is_in_doubt = self._cursor is not None and hub.is_in_doubt(self._cursor)
            if snapshot_first or is_in_doubt:
                await self._send_snapshot()
            await self._catch_up(feed)
            while True:
                self._more.clear()
                try:
                    await self._send_rest(feed)
                except Lost:
                    await asyncio.sleep(SNAPSHOT_PAUSE_S)
                    await hub.available.wait()
                    self._losses = feed.losses
                    await self._send_snapshot()
                    await self._catch_up(feed)
        finally:
            hub.leave(feed, self._wake)

    async def _catch_up(self, feed: Feed) -> None:
        """The cursor may be later than what was announced to the feed."""
        if self._cursor is not None and (feed.last is None or feed.last < self._cursor):
            await self._hub.refresh(feed)

    async def _send_snapshot(self) -> None:
        frame, cursor = await from_loop(snapshot, self.conversation)
        await self._writer.send([encode(frame).encode()])
        self._cursor = cursor

    async def _send_rest(self, feed: Feed) -> None:
        """Sends some of the frames after the cursor, or waits for more. Raises `Lost`."""
        if feed.losses != self._losses:
            raise Lost
        frames = await self._hub.after(feed, self._cursor)
        if frames:
            some = frames[:MAX_EVENTS_A_FRAME]
            await self._writer.send([frame.text for frame in some])
            self._cursor = some[-1].id
            return
        self._sent = feed
        try:
            await self._more.wait()
        finally:
            self._sent = None

    def _wake(self) -> None:
        if self._sent is None or not self._write(self._sent):
            self._more.set()

    def _write(self, feed: Feed) -> bool:
        """Whether the socket has taken everything after the cursor at once."""
        if feed.losses != self._losses:
            return False
        frames = feed.tail(self._cursor)
        if not frames or len(frames) > MAX_EVENTS_A_FRAME:
            return False
        is_written = self._writer.write([frame.text for frame in frames])
        if is_written:
            self._cursor = frames[-1].id
        return is_written
