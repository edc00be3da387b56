"""Making the call of a run in a worker, as a turn would make it; the text can be seen meanwhile."""

import asyncio
import logging
import time
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from django.utils import timezone

import jobs
from chat.engine.generation.evidence import asked_records, records
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.outcome import Generated
from chat.engine.turn.ceilings import ceilings
from chat.engine.worker import running as engine
from chat.engine.worker.running import Cut
from chat.playground import partial, runs
from chat.playground.partial import Heard
from chat.playground.runs import Begun
from db.threads import in_database
from tools import loop
from tracing.models import Span
from tracing.store import payloads

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.4
SHUT_DOWN = "The worker was shut down. Run again."


def run(run_pk: int) -> None:
    """Makes the call of a run that was asked for, if nobody else does."""
    begun = in_database(runs.begin, run_pk)
    if begun is None:
        return
    try:
        _make(begun)
    except Exception as error:
        logger.exception("the playground's run %s failed", run_pk)
        sentence = f"The run itself failed: {type(error).__name__}."
        in_database(jobs.finish, runs.PLAYGROUND_RUN, begun.run, sentence)
    finally:
        partial.forget(begun.run.trace.public_id)


def _make(begun: Begun) -> None:
    call = _Call(begun)
    future = loop.submit(call.run())
    try:
        _accompany(begun, call, future)
    finally:
        call.cancel()
    in_database(_close, begun, call.exchange.generated)


def _accompany(begun: Begun, call: "_Call", future: "Future[None]") -> None:
    """Until the call's end: shows its text, says that it lives, and stops it when asked."""
    first = True
    while not future.done():
        try:
            future.result(TICK_SECONDS)
        except CancelledError:
            return
        except NotYet:
            call.heard.write()
            if first:
                in_database(_checkpoint, begun, call.exchange.generated)
                first = False
            if engine.registry.closing or not in_database(runs.beat, begun.run):
                call.cancel()


class _Call:
    """The exchange of a run, on the loop."""

    def __init__(self, begun: Begun) -> None:
        self.heard = Heard(begun.run.trace.public_id)
        self.exchange = Exchange(begun.asked, begun.meant, self.heard.say)
        self._task: asyncio.Task[Any] | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """From any thread, any number of times."""
        loop.get().call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None and not self._cancelled:
            self._cancelled = True
            self._task.cancel()

    async def run(self) -> None:
        self._task = asyncio.current_task()
        try:
            await self.exchange.run_within(ceilings().seconds)
        except asyncio.CancelledError:
            self.exchange.generated.cut = Cut.STOPPED if self._cancelled else Cut.HANDOVER
            self.exchange.cut()
        after = time.perf_counter() - self.exchange.call.ended_at
        self.exchange.generated.mark("post_ms", after)


def _checkpoint(begun: Begun, generated: Generated) -> None:
    """A call that takes its time has what was asked on record before it ends."""
    kept = asked_records(begun.generation, begun.meant, generated)
    payloads.store_all(begun.run.trace.archive, kept)


def _close(begun: Begun, generated: Generated) -> None:
    kept = records(begun.generation, begun.meant, generated)
    payloads.store_all(begun.run.trace.archive, kept)
    sentence = generated.sentence
    if generated.cut is not None and engine.registry.closing:
        sentence = SHUT_DOWN
    Span.objects.filter(pk=begun.generation.pk).update(
        status=generated.status,
        ended=timezone.now(),
        error=sentence,
        attributes=begun.generation.attributes | generated.described(),
    )
    is_stopped = generated.cut is not None
    jobs.finish(runs.PLAYGROUND_RUN, begun.run, sentence, is_stopped=is_stopped)
