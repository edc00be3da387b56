"""Progress events of a call, at most four a second, however often the server reports."""

import asyncio
import math

from chat import events
from chat.agent.claimed_call import ClaimedCall
from limits.turns import MAX_PROGRESS_MESSAGE

EVENT_INTERVAL_S = 0.25


class Progress:
    """The progress of one call. Lives on the loop; keeps the latest report only."""

    def __init__(self, call: ClaimedCall) -> None:
        self._call = call
        self._latest: tuple[float, float | None, str] | None = None
        self._emitting: asyncio.Task[None] | None = None

    def report(self, progress: float, total: float | None, message: str) -> None:
        """Returns at once. Call it any number of times."""
        if not math.isfinite(progress) or not (total is None or math.isfinite(total)):
            return
        self._latest = progress, total, message[:MAX_PROGRESS_MESSAGE]
        if self._emitting is None or self._emitting.done():
            self._emitting = asyncio.create_task(self._emit_reports())

    async def _emit_reports(self) -> None:
        while self._latest is not None:
            latest, self._latest = self._latest, None
            # Redis may be slow or gone: not on the loop.
            await asyncio.to_thread(self._emit, *latest)
            await asyncio.sleep(EVENT_INTERVAL_S)

    def _emit(self, progress: float, total: float | None, message: str) -> None:
        event = events.progress_event(self._call.turn, self._call.span, progress, total, message)
        events.emit(self._call.turn.conversation.public_id, event)
