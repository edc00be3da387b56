"""Writes an ended call: in one transaction, after its bytes are read."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction

from api.gateway.call import Call, CutBy
from api.gateway.callers import Prices
from api.gateway.models import Loop, Session
from api.gateway.reading.answered import Answered, error_of, read_response
from api.gateway.reading.given import Given, read_request
from api.gateway.writing import evidence, loops, tool_spans
from api.gateway.writing.usage import usage_of
from chat.llm.redaction import redact_text
from db.fields import storable
from languages.stored import stored
from limits.gateway import MAX_GATEWAY_READ_BYTES
from tracing import recorder
from tracing.models import Span, Trace
from tracing.models.attributes import GenerationAttributes, TraceAttributes
from tracing.store import payloads
from tracing.store.encodings import decode_content

_LEFT = stored("The caller went away before the answer was complete.")
_NOT_KEPT = stored(
    "The bytes of this call are not recorded: its tokens are estimated from their count."
)
_AGAIN = frozenset({408, 409, 425, 429})


@dataclass(frozen=True)
class Ended:
    """A call with what its bytes say. `error`: a sentence, "" if it succeeded."""

    call: Call
    given: Given
    answered: Answered
    error: str
    at: datetime

    @property
    def status(self) -> Span.Status:
        if self.call.cut is CutBy.CALLER:
            return Span.Status.CANCELLED
        return Span.Status.FAILED if self.error else Span.Status.SUCCEEDED

    @property
    def may_be_repeated(self) -> bool:
        """Whether callers usually try again after such a failure."""
        status = self.call.status
        return self.status == Span.Status.FAILED and (
            status is None or status in _AGAIN or status >= 500 or self.call.cut is not None
        )

    @property
    def is_open(self) -> bool:
        """Whether another call may go on with its trace."""
        if not self.given.protocol:
            return False
        succeeded = self.status == Span.Status.SUCCEEDED
        return self.may_be_repeated or (succeeded and self.answered.calls_tools)


def read(call: Call) -> Ended:
    """What the bytes of a call say."""
    sent = b"".join(call.request)
    arrived = b"".join(call.response)
    given = read_request(call.target, sent) if len(sent) <= MAX_GATEWAY_READ_BYTES else Given()
    body = decode_content(arrived, call.response_headers, MAX_GATEWAY_READ_BYTES)
    answered, error = Answered(), ""
    if call.status is not None and call.status >= 400:
        error = _refused(call, body)
    elif call.status is not None and len(body) <= MAX_GATEWAY_READ_BYTES:
        chunks = call.chunks if body is arrived else ()
        answered = read_response(given.protocol, body, chunks)
        error = answered.problem if given.protocol else ""
    if call.loss is not None:
        answered = Answered(notes=[_NOT_KEPT])
    answered.usage = usage_of(call, answered, sent, body)
    error = call.error or error
    if call.cut is CutBy.CALLER:
        error = _LEFT
    seconds = (call.ended_at or call.began) - call.began
    at = call.started + timedelta(seconds=seconds)
    return Ended(call, given, answered, storable(redact_text(error, call.secrets)), at)


def write(call: Call) -> Trace:
    """Adds a call to the trace that it goes on with, or to one of its own."""
    ended = read(call)
    with transaction.atomic():
        session = loops.session_of(call)
        loop = loops.take(session, call, ended.given)
        round_, number, attempt = _place(session, ended, loop)
        records = []
        if loop is not None and attempt == 1:
            records = tool_spans.write(loop.round, ended.given, loop.ended, call.started)
        generation = recorder.open_generation(
            round_,
            ended.given.model or call.target,
            _opening(ended, attempt),
            attempt,
            call.started,
        )
        if call.loss is None:
            records += evidence.records(generation, call, ended.given, ended.answered)
        payloads.store_all(session.archive, records)
        recorder.close_span(generation, ended.status, ended.error, _closing(ended), ended=ended.at)
        recorder.close_span(round_, ended.status, ended.error, ended=ended.at)
        _leave(session, ended, round_, (number, attempt), loop)
        return round_.trace


def _place(session: Session, ended: Ended, loop: Loop | None) -> tuple[Span, int, int]:
    """The round of the call, its number, and the number of the attempt."""
    if loop is not None and loop.has_failed:
        return loop.round, loop.number, loop.attempt + 1
    if loop is not None:
        root = loop.trace.spans.get(kind=Span.Kind.TURN)
        root.trace = loop.trace
        number = loop.number + 1
        return recorder.open_round(root, number, started=ended.call.started), number, 1
    root = _begin(session, ended)
    return recorder.open_round(root, started=ended.call.started), 1, 1


def _begin(session: Session, ended: Ended) -> Span:
    call = ended.call
    attributes: TraceAttributes = {
        "session": str(session.name),
        "client": storable(call.client)[:300],
        "token": call.caller.token_name,
        "provider": call.route.name,
        "model": ended.given.model,
    }
    name = ended.given.name or f"{call.method} {call.target}"
    return recorder.begin_trace(
        session.archive_id,
        call.caller.user.pk,
        redact_text(name, call.secrets)[:200],
        attributes,
        kind=Trace.Kind.GATEWAY,
        root_name="loop",
        started=call.started,
    )


def _leave(
    session: Session, ended: Ended, round_: Span, place: tuple[int, int], loop: Loop | None
) -> None:
    """Leaves the trace open for another call, or ends it."""
    trace = round_.trace
    if ended.is_open and ended.given.digest:
        columns = {
            "round": round_,
            "number": place[0],
            "attempt": place[1],
            "digest": ended.given.digest,
            "response": storable(ended.answered.id or "")[:200],
            "has_failed": ended.status == Span.Status.FAILED,
            "ended": ended.at,
        }
        if loop is None:
            Loop.objects.create(trace=trace, session=session, **columns)
        else:
            Loop.objects.filter(pk=loop.pk).update(**columns)
        return
    if loop is not None:
        Loop.objects.filter(pk=loop.pk).delete()
    status = {
        Span.Status.SUCCEEDED: Trace.Status.SUCCEEDED,
        Span.Status.CANCELLED: Trace.Status.STOPPED,
    }.get(ended.status, Trace.Status.FAILED)
    recorder.end_turn_trace(trace.pk, status, ended.error, ended.at)


def _opening(ended: Ended, attempt: int) -> GenerationAttributes:
    call, name = ended.call, ended.given.model
    attributes: GenerationAttributes = {
        "provider": call.route.name,
        "base_url": call.route.base_url,
        "model": name or ended.answered.model or "",
        "dialect": "anthropic" if ended.given.protocol == "anthropic" else "native",
        "parameters": ended.given.parameters,
        "attempt": attempt,
        "prices": _prices(ended),
    }
    return attributes


def _prices(ended: Ended) -> Prices:
    """Those of the model; the highest ones where it is not known because the bytes are not."""
    prices = ended.call.route.prices
    if ended.call.loss is not None:
        return max(prices.values(), key=_sum_of_prices, default={})
    return prices.get(ended.given.model, {})


def _sum_of_prices(prices: Prices) -> Decimal:
    return sum((Decimal(prices.get(name) or 0) for name in ("in", "out")), Decimal(0))


def _closing(ended: Ended) -> GenerationAttributes:
    call, answered = ended.call, ended.answered
    answer = answered.answer
    return {
        "status_code": call.status,
        "usage": answered.usage,
        "finish_reason": answered.finish_reason,
        "answering_model": answered.model,
        "response_id": answered.id,
        "notes": answered.notes,
        "errors": answer.errors if answer else [],
        "timings": _timings(ended),
        "cut": call.cut.value if call.cut else None,
        "error_kind": None,
        "error_evidence": None,
        "error_bytes": None,
    }


def _timings(ended: Ended) -> dict[str, float]:
    """Milliseconds; `send_ms` is what the gateway added before the request left."""
    call = ended.call
    if call.sent_at is None:
        return {}
    timings = {"send_ms": (call.sent_at - call.began) * 1000}
    if call.headers_at is not None:
        timings["connect_ms"] = (call.headers_at - call.sent_at) * 1000
    if call.chunks:
        timings["first_byte_ms"] = call.chunks[0][0]
        timings["stream_ms"] = call.chunks[-1][0] - call.chunks[0][0]
    if ended.answered.first_token_ms is not None:
        timings["first_token_ms"] = ended.answered.first_token_ms
    return {name: round(ms, 3) for name, ms in timings.items()}


def _refused(call: Call, body: bytes) -> str:
    said = error_of(body)
    if not said:
        return stored("The provider answered with status %(status)s.", status=call.status)
    return stored(
        "The provider answered with status %(status)s: %(said)s", status=call.status, said=said
    )
