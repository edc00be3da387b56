"""Following a conversation for a socket: forwards the events of its log after a cursor."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from chat.events.log import EventFrame, EventId, encode
from chat.live.feed import Hub, Lost
from chat.live.snapshot import snapshot
from chat.models import Conversation
from db.threads import from_loop
from limits.web import MAX_EVENTS_A_FRAME

SNAPSHOT_PAUSE_S = 0.5
CANCEL_INTERVAL_S = 0.05

logger = logging.getLogger(__name__)

# Takes encoded frames, in order.
Send = Callable[[Sequence[str]], Awaitable[None]]


class Following:
    """One conversation, followed from `begin` to `end` by a task of its own.

    `failed` is called with the task if it ends by itself, which only an error makes it do.
    """

    def __init__(
        self,
        hub: Hub,
        conversation: Conversation,
        send: Send,
        failed: "Callable[[asyncio.Task[None]], None]",
    ) -> None:
        self._hub = hub
        self._conversation = conversation
        self._send = send
        self._failed = failed
        self._task: asyncio.Task[None] | None = None

    def begin(self, cursor: EventId | None, *, snapshot_first: bool) -> None:
        """Without cursor and snapshot it begins with the log's first event: the conversation is
        new."""
        self._task = asyncio.create_task(self._forward(cursor, snapshot_first))
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

    async def _forward(self, cursor: EventId | None, snapshot_first: bool) -> None:
        hub = self._hub
        more = asyncio.Event()
        feed = await hub.follow(self._conversation.public_id, more)
        try:
            if snapshot_first:
                cursor = await self._send_snapshot()
            await hub.refresh(feed)
            while True:
                more.clear()
                try:
                    frames = await hub.after(feed, cursor)
                except Lost:
                    await asyncio.sleep(SNAPSHOT_PAUSE_S)
                    await hub.available.wait()
                    cursor = await self._send_snapshot()
                    await hub.refresh(feed)
                    continue
                if not frames:
                    await more.wait()
                    continue
                cursor = await self._send_some(frames[:MAX_EVENTS_A_FRAME])
        finally:
            await hub.leave(feed, more)

    async def _send_snapshot(self) -> EventId | None:
        frame, cursor = await from_loop(snapshot, self._conversation)
        await self._send([encode(frame)])
        return cursor

    async def _send_some(self, frames: list[EventFrame]) -> EventId:
        await self._send([frame.text for frame in frames])
        return frames[-1].id
