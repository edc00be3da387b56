"""Running one attempt of a turn: its text announced while it arrives, interrupted when asked.

The thread of the turn waits; the exchange itself lives on the process's loop. The loop never
touches the ORM, and the thread closes its database connection before it waits.
"""

import asyncio
import time
from concurrent.futures import TimeoutError as NotYet
from datetime import datetime
from typing import Any

from django.utils import timezone

from chat.engine.context.compacting import Summarising
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.evidence import asked_records
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.live_text import Silent, Speaker
from chat.engine.generation.outcome import Generated
from chat.engine.worker.running import Running
from db.threads import in_database
from tools import loop
from tracing.store import payloads

CHECKPOINT_SECONDS = 1.0


def run_attempt(attempt: Attempt | Summarising, running: Running) -> Generated:
    """Runs one attempt to its end, which may be an error or an interruption."""
    generation = Generation(attempt, running)
    future = loop.submit(generation.run())
    with running.interruption.cancelled_by(generation.cancel):
        try:
            return future.result(CHECKPOINT_SECONDS)
        except NotYet:
            _checkpoint(attempt, generation)
            return future.result()


def _checkpoint(attempt: Attempt | Summarising, generation: "Generation") -> None:
    """A generation that takes its time has what was asked on record before it ends."""
    if generation.exchange is None:
        return
    generated = generation.exchange.generated
    records = asked_records(attempt.generation, attempt.meant, generated)
    in_database(payloads.store_all, attempt.turn.conversation.archive, records)
    generated.recorded = records


class Generation:
    """The exchange of an attempt, on the loop."""

    def __init__(self, attempt: Attempt | Summarising, running: Running) -> None:
        self.exchange: Exchange | None = None
        self._attempt = attempt
        self._running = running
        self._loop = loop.get()
        self._task: asyncio.Task[Any] | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Interrupts the exchange. From any thread, at any time."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    async def run(self) -> Generated:
        """The exchange, its text announced as it arrives."""
        attempt = self._attempt
        opening = _seconds_since(attempt.generation.started)
        speaker = Speaker(attempt) if isinstance(attempt, Attempt) else Silent()
        self.exchange = Exchange(self._attempt.served, self._attempt.meant, speaker.say)
        self.exchange.generated.mark("open_ms", opening)
        await self._run(self.exchange)
        await speaker.finish()
        generated = self.exchange.generated
        generated.mark("post_ms", time.perf_counter() - self.exchange.call.ended_at)
        return generated

    async def _run(self, exchange: Exchange) -> None:
        self._task = asyncio.current_task()
        assert self._task is not None
        try:
            if self._cancelled:
                raise asyncio.CancelledError
            await exchange.run()
        except asyncio.CancelledError:
            if self._running.reason is None:
                raise
            self._task.uncancel()
            exchange.generated.cut = self._running.reason
            exchange.cut()
        finally:
            self._task = None


def _seconds_since(moment: datetime | None) -> float:
    """Until the row is committed and this is the loop's turn."""
    return max(0.0, (timezone.now() - moment).total_seconds()) if moment else 0.0
