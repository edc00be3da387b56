"""How far a call is, told to the page at most four times a second, whatever the server reports."""

import asyncio
import math

from chat import events
from chat.agent.claimed_call import ClaimedCall
from limits.turns import MAX_PROGRESS_MESSAGE

PAUSE_S = 0.25


class Progress:
    """Of one call. Lives on the loop; keeps the latest report only."""

    def __init__(self, call: ClaimedCall) -> None:
        self._call = call
        self._latest: tuple[float, float | None, str] | None = None
        self._telling: asyncio.Task[None] | None = None

    def report(self, progress: float, total: float | None, message: str) -> None:
        """Any number of times; none of them waits."""
        if not math.isfinite(progress) or not (total is None or math.isfinite(total)):
            return
        self._latest = progress, total, message[:MAX_PROGRESS_MESSAGE]
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._latest is not None:
            latest, self._latest = self._latest, None
            # Redis may be slow or gone: not on the loop.
            await asyncio.to_thread(self._emit, *latest)
            await asyncio.sleep(PAUSE_S)

    def _emit(self, progress: float, total: float | None, message: str) -> None:
        event = events.progress_event(self._call.turn, self._call.span, progress, total, message)
        events.emit(self._call.turn.conversation.public_id, event)
