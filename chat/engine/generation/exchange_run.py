"""Running an exchange: on the process's loop, for a thread that waits and can interrupt it.

A turn runs each of its attempts so, a playground each of its runs. The loop never touches the ORM,
and the thread closes its database connection before it waits.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from django.utils import timezone

from chat.engine.generation.evidence import journal_request
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.outcome import Generated
from chat.engine.worker.running_turns import Cut
from chat.llm.dialects.contract import TextDelta
from chat.llm.served import ModelInput, ServedModel
from tools import loop
from tracing.models import Archive, Span


class Listener(Protocol):
    """Shows the text of an exchange while it arrives. For the loop's thread."""

    def say(self, deltas: Sequence[TextDelta]) -> None:
        """Shows what a chunk said."""

    async def finish(self) -> None:
        """Returns when all of it is shown."""


class Silent:
    """A listener that shows nothing."""

    def say(self, deltas: Sequence[TextDelta]) -> None:
        """Nothing."""

    async def finish(self) -> None:
        """Nothing is under way."""


class ExchangeRun:
    """One exchange, from `start` to the value of the future that it answers.

    `generation` is its span, in a trace of `archive`.
    `listen` makes the listener, on the loop. `cut_reason` says why the exchange was cancelled; for
    None the cancellation goes on to the caller. `seconds`: cut as `Overdue` after them. `opened`:
    when the row of the generation was written, if the time until the exchange is to be recorded.
    """

    def __init__(
        self,
        archive: Archive,
        generation: Span,
        served: ServedModel,
        meant: ModelInput,
        listen: Callable[[], Listener],
        cut_reason: Callable[[], Cut | None],
        *,
        seconds: float | None = None,
        opened: datetime | None = None,
    ) -> None:
        self._archive = archive
        self._generation = generation
        self._served = served
        self._meant = meant
        self._listen = listen
        self._cut_reason = cut_reason
        self._seconds = seconds
        self._opened = opened
        self._loop = loop.get()
        self._task: asyncio.Task[Any] | None = None
        self.is_cancelled = False

    def start(self) -> "Future[Generated]":
        """Has the loop run it. Call it once."""
        return loop.submit(self._run())

    def cancel(self) -> None:
        """Interrupts the exchange. From any thread, at any time, any number of times."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None and not self.is_cancelled:
            self._task.cancel()
        self.is_cancelled = True

    async def _run(self) -> Generated:
        opening = _seconds_since(self._opened) if self._opened else None
        listener = self._listen()
        journal = partial(journal_request, self._archive, self._generation)
        exchange = Exchange(self._served, self._meant, journal, listener.say)
        generated = exchange.generated
        if opening is not None:
            generated.mark("open_ms", opening)
        try:
            await self._interruptible(exchange)
        finally:
            await listener.finish()
        generated.mark("post_ms", time.perf_counter() - exchange.call.ended_at)
        return generated

    async def _interruptible(self, exchange: Exchange) -> None:
        self._task = asyncio.current_task()
        assert self._task is not None
        try:
            if self.is_cancelled:
                raise asyncio.CancelledError
            await (exchange.run_within(self._seconds) if self._seconds else exchange.run())
        except asyncio.CancelledError:
            reason = self._cut_reason()
            if reason is None:
                raise
            self._task.uncancel()
            exchange.generated.cut = reason
            exchange.cut()
        finally:
            self._task = None


def _seconds_since(moment: datetime) -> float:
    """Until the row is committed and this is the loop's turn."""
    return max(0.0, (timezone.now() - moment).total_seconds())
