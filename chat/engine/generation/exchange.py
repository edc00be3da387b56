"""One recorded model call: canonical messages to the wire, to the model, and back.

It runs on the process's loop, where the ORM is not used: a database thread stores the request
before it is sent. The engine makes one for each attempt of a
turn, a check one for each of its requests.
"""

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from chat.engine.generation.outcome import Generated
from chat.engine.turn.ceilings import ceilings
from chat.llm.calling import Limits, ModelCall, WireCall
from chat.llm.dialects.contract import TextDelta
from chat.llm.errors import Defect, Overdue, ProviderFailure
from chat.llm.redaction import RedactedStream, Redaction, redact_text
from chat.llm.served import ModelInput, ServedModel

logger = logging.getLogger(__name__)

# Stores a request that is about to be sent, such as `evidence.journal_request` of a span.
Journal = Callable[[ModelInput, Generated], Awaitable[None]]


def discard(deltas: Sequence[TextDelta]) -> None:
    """A listener for an exchange whose text is not shown."""


class Exchange:
    """`generated` is filled while the exchange runs, and complete when it has ended. `journal`
    stores the request: it is sent after that."""

    def __init__(
        self,
        served: ServedModel,
        meant: ModelInput,
        journal: Journal,
        say: Callable[[Sequence[TextDelta]], None] = discard,
    ) -> None:
        self.generated = Generated(secrets=served.secrets, answered_by=served.identity)
        self.generated.recording.journal = partial(journal, meant, self.generated)
        self._redaction = Redaction(served.secrets)
        self._shown = RedactedStream(self._redaction, say)
        wire_call = self._wire_call(served, meant)
        self.call = ModelCall(wire_call, self.generated.recording, self._shown.say)

    async def run(self) -> Generated:
        """Runs to its end, which may be an error. The caller that cancels it calls `cut`. Raises
        what the database has raised if the request could not be stored; nothing was sent then."""
        try:
            await self.call.run()
        except ProviderFailure as failure:
            if unstored := self.generated.recording.journal_error:
                raise unstored from failure
            self.generated.error = failure
        except Exception:
            trace = redact_text(traceback.format_exc(), self.generated.secrets)
            logger.error("The answer of a model was not taken in\n%s", trace)
            self.generated.error = Defect()
        self._take()
        return self.generated

    async def run_within(self, seconds: float) -> Generated:
        """The same, cut as `Overdue` after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                return await self.run()
        except TimeoutError:
            self.cut()
            self.generated.error = Overdue(seconds, evidence=b"")
            return self.generated

    def cut(self) -> None:
        """After a cancellation: takes the partial answer."""
        self.call.cut()
        self._take()

    def _take(self) -> None:
        call, generated, redaction = self.call, self.generated, self._redaction
        self._shown.finish()
        generated.answer = redaction.answer(call.answer) if call.answer else None
        generated.usage = redaction.value(call.usage)
        generated.finish_reason = redaction.value(call.finish_reason)
        generated.answering_model = redaction.value(call.answering_model)
        generated.response_id = redaction.value(call.response_id)
        generated.repeats_secret = redaction.is_needed
        for name, seconds in call.timings().items():
            generated.mark(name, seconds)

    def _wire_call(self, served: ServedModel, meant: ModelInput) -> WireCall:
        began = time.perf_counter()
        own = served.own(meant.messages)
        wire = served.dialect.request(own, meant.tools, meant.tool_choice)
        parameters = served.parameters(meant)
        self.generated.notes = [*meant.notes, *wire.notes, *parameters.notes]
        body = {"model": served.name, **wire.body, **parameters.body}
        self.generated.mark("pre_ms", time.perf_counter() - began)
        most = ceilings()
        limits = Limits(most.response_bytes, most.seconds)
        return WireCall(served.endpoint, body, served.dialect.stream(), limits)
