"""One generation: from canonical messages to the wire, through the model, and back.

The thread of the turn waits; the exchange itself lives on the process's loop. The loop never
touches the ORM, and the thread closes its database connection before it waits.
"""

import asyncio
import logging
import time
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from django.conf import settings

from chat.database import in_database
from chat.engine.attempts import Attempt
from chat.engine.ceilings import ceilings
from chat.engine.evidence import asked_records
from chat.engine.generated import Generated
from chat.engine.running import Running
from chat.engine.speaking import Speaker
from chat.llm.calling import Limits, ModelCall, WireCall
from chat.llm.clients import IDLE_SECONDS, Endpoint
from chat.llm.dialects import dialect
from chat.llm.errors import ProviderFailure
from tools import loop
from tracing import payloads

logger = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 1.0


def run_attempt(attempt: Attempt, running: Running) -> Generated:
    """Runs one attempt to its end, which may be an error or an interruption."""
    generation = Generation(attempt, running)
    future = loop.submit(generation.run())
    with running.interruption.cancelled_by(generation.cancel):
        try:
            return future.result(CHECKPOINT_SECONDS)
        except NotYet:
            _checkpoint(attempt, generation.generated)
            return future.result()


def _checkpoint(attempt: Attempt, generated: Generated) -> None:
    """A generation that takes its time has what was asked on record before it ends."""
    records = asked_records(attempt, generated)
    in_database(payloads.store_all, attempt.turn.conversation.archive, records)


class Generation:
    """The exchange with the model, on the loop."""

    def __init__(self, attempt: Attempt, running: Running) -> None:
        self.generated = Generated()
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
        speaker = Speaker(self._attempt)
        call = ModelCall(self._wire_call(), self.generated.recording, speaker.say)
        try:
            await self._exchange(call)
        except ProviderFailure as failure:
            self.generated.error = failure
            self.generated.secrets = (self._attempt.model.provider.api_key,)
        finally:
            self._take(call)
        await speaker.finish()
        self._mark("post_ms", time.perf_counter() - call.ended_at)
        return self.generated

    async def _exchange(self, call: ModelCall) -> None:
        self._task = asyncio.current_task()
        assert self._task is not None
        try:
            if self._cancelled:
                raise asyncio.CancelledError
            await call.run()
        except asyncio.CancelledError:
            if self._running.reason is None:
                raise
            self._task.uncancel()
            self.generated.cut = self._running.reason
            call.cut()
        finally:
            self._task = None

    def _wire_call(self) -> WireCall:
        attempt = self._attempt
        began = time.perf_counter()
        spoken = dialect(attempt.model.dialect)
        wire = spoken.request(attempt.asked, attempt.tools)
        self.generated.notes = list(wire.notes)
        body = {"model": attempt.model.name, **wire.body, **attempt.parameters}
        self._mark("pre_ms", time.perf_counter() - began)
        provider = attempt.model.provider
        return WireCall(
            Endpoint(provider.endpoint, provider.api_key, _idle_seconds()),
            body,
            spoken.stream(),
            Limits(response_bytes=ceilings().response_bytes),
        )

    def _take(self, call: ModelCall) -> None:
        generated = self.generated
        generated.answer = call.answer
        generated.usage = call.usage
        generated.finish_reason = call.finish_reason
        generated.answering_model = call.answering_model
        generated.response_id = call.response_id
        for name, seconds in call.timings().items():
            self._mark(name, seconds)

    def _mark(self, name: str, seconds: float) -> None:
        self.generated.timings[name] = round(seconds * 1000, 3)


def _idle_seconds() -> float:
    """The longest silence of a model; the setting `MODEL_IDLE_SECONDS` overrides the default."""
    return float(getattr(settings, "MODEL_IDLE_SECONDS", IDLE_SECONDS))
