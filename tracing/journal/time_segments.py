"""The time of a span as segments, each of one kind.

A generation's durations (`attributes.timings`, milliseconds; see `chat.engine.generation.exchange`)
follow one another from the moment at which the request was sent. Before them its row was stored,
after them its end was; the rest of the time comes first. A call is proposed (`created`), waits for
a person, for a worker and for a session, then runs; a call that began a subagent is one segment,
and so is a compaction with its summary's model call.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import TextChoices
from django.utils.dateparse import parse_datetime

from languages.later import later
from tracing.models import Span
from tracing.models.attributes import call_attributes, generation_attributes


class Kind(TextChoices):
    """In the order in which pages list them; `OURS` is the time that no other kind explains."""

    QUEUE = "queue", later("queue")
    PRE = "pre", later("pre-processing")
    START = "start", later("starting the server")
    CONNECT = "connect", later("connecting")
    WAIT = "wait", later("waiting for the first token")
    STREAM = "stream", later("streaming")
    MODEL = "model", later("model at work")
    POST = "post", later("post-processing")
    TOOL = "tool", later("tools")
    SUBAGENT = "subagent", later("subagents")
    COMPACTION = "compaction", later("making room in the context")
    CONTEXT = "context", later("building the request")
    STORE = "store", later("storing")
    PERSON = "person", later("waiting for a person")
    PAUSE = "pause", later("waiting to try again")
    OURS = "ours", later("the rest")


_NUMBERS = frozenset({int, float})


class TimeSegment(NamedTuple):
    """A tuple, because a page makes thousands."""

    kind: Kind
    start: datetime
    end: datetime


def time_segments(span: Span, now: datetime) -> list[TimeSegment]:
    """The segments of a span, none empty; only the wait for a next attempt is after its end."""
    end = span.ended or now
    if span.kind == Span.Kind.GENERATION:
        segments = _of_generation(span, end)
    elif span.kind == Span.Kind.TOOL:
        segments = _of_call(span, end)
    elif span.kind == Span.Kind.COMPACTION:
        segments = iter([TimeSegment(Kind.COMPACTION, span.started or span.created, end)])
    else:
        segments = iter(())
    return [segment for segment in segments if segment.start < segment.end]


def _of_generation(span: Span, end: datetime) -> Iterator[TimeSegment]:
    start = span.started or span.created
    timings = _Durations(generation_attributes(span).get("timings"))
    if span.ended is None and not timings.known:
        yield TimeSegment(Kind.MODEL, start, end)
        return
    yield from _in_sequence(start, end, _phases(timings, end - start))
    if span.ended is not None and (wait := retry_wait(span)):
        yield TimeSegment(Kind.PAUSE, end, end + wait)


def _phases(timings: "_Durations", whole: timedelta) -> list[tuple[Kind, timedelta]]:
    """The phases of a model call in order; time that no duration explains is in the last or the
    first."""
    opening = timings.of("open_ms")
    before = [(Kind.PRE, timings.of("pre_ms")), (Kind.CONNECT, timings.of("send_ms"))]
    after = timings.of("post_ms")
    preparation = sum((length for _, length in before), opening)
    exchange = max(timedelta(), whole - after - preparation)
    if not {"connect_ms", "first_token_ms"} & timings.known.keys():
        parts = [(Kind.CONNECT if timings.known else Kind.MODEL, exchange)]
    else:
        connection = min(exchange, timings.of("connect_ms"))
        first_token = max(connection, min(exchange, timings.of("first_token_ms", exchange)))
        stream_end = max(first_token, min(exchange, timings.end_of_stream(exchange)))
        parts = [
            (Kind.CONNECT, connection),
            (Kind.WAIT, first_token - connection),
            (Kind.STREAM, stream_end - first_token),
        ]
    slack = max(timedelta(), exchange - sum((length for _, length in parts), timedelta()))
    rest = [*before, *parts, (Kind.POST, after)]
    if "open_ms" in timings.known:
        return [(Kind.STORE, opening), *rest, (Kind.STORE, slack)]
    return [(Kind.OURS, slack), *rest]


def _in_sequence(
    start: datetime, end: datetime, phases: Iterable[tuple[Kind, timedelta]]
) -> Iterator[TimeSegment]:
    """One after the other, cut at the end."""
    at = start
    for kind, length in phases:
        if length:
            until = min(end, at + length)
            yield TimeSegment(kind, at, until)
            at = until


def _of_call(span: Span, end: datetime) -> Iterator[TimeSegment]:
    decision = _decision_time(span, end)
    if decision is not None:
        yield TimeSegment(Kind.PERSON, span.created, min(decision, end))
    start = min(span.started or end, end)
    yield TimeSegment(Kind.QUEUE, max(span.created, decision or span.created), start)
    waits = [
        TimeSegment(Kind.PERSON, question, min(answer or end, end))
        for question, answer in _waits(call_attributes(span).get("waits"))
    ]
    yield from waits
    for segment in _run(span, start, end):
        yield from _without(segment, waits)


def _without(whole: TimeSegment, holes: Iterable[TimeSegment]) -> Iterator[TimeSegment]:
    """The parts of a segment between the waits for a person."""
    at = whole.start
    for hole in sorted(holes, key=lambda hole: hole.start):
        yield TimeSegment(whole.kind, at, min(hole.start, whole.end))
        at = max(at, hole.end)
    yield TimeSegment(whole.kind, at, whole.end)


def _run(span: Span, begin: datetime, end: datetime) -> Iterator[TimeSegment]:
    """Wait for a session, start of its server, opening of the session, then the request."""
    if call_attributes(span).get("subagent"):
        yield TimeSegment(Kind.SUBAGENT, begin, end)
        return
    timing = _Durations(call_attributes(span).get("timing"))
    room, start, connect = (timing.of(name) for name in ("room_ms", "start_ms", "connect_ms"))
    if not (room or start or connect):
        yield TimeSegment(Kind.TOOL, begin, end)
        return
    request = moment(call_attributes(span).get("sent")) or begin + room + start + connect
    request = min(end, max(begin, request))
    opening = max(begin, request - connect)
    server_start = max(begin, opening - start)
    wait = max(begin, server_start - room)
    yield TimeSegment(Kind.TOOL, begin, wait)
    yield TimeSegment(Kind.QUEUE, wait, server_start)
    yield TimeSegment(Kind.START, server_start, opening)
    yield TimeSegment(Kind.CONNECT, opening, request)
    yield TimeSegment(Kind.TOOL, request, end)


def _decision_time(span: Span, end: datetime) -> datetime | None:
    """The end of the wait for approval; None if the call needed none."""
    if span.status == Span.Status.AWAITING_APPROVAL:
        return end
    decision = call_attributes(span).get("decision")
    at = moment(decision.get("at")) if isinstance(decision, dict) else None
    if at is None and call_attributes(span).get("needs_approval") and span.started is None:
        return end  # nobody decided before the turn was over
    return at


def _waits(pairs: Any) -> Iterator[tuple[datetime, datetime | None]]:
    """Of each question of a server its moment, and that of the answer, None while it is open."""
    for pair in pairs if isinstance(pairs, list) else ():
        question, answer = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if (begin := moment(question)) is not None:
            yield begin, moment(answer)


def retry_wait(span: Span) -> timedelta:
    """The pause between its end and the next attempt."""
    name = "retry_in_ms"
    return _Durations({name: call_attributes(span).get(name)}).of(name)


class _Durations:
    """The valid durations of a span by name, in milliseconds."""

    MAX_MS = 10.0**12  # a timedelta holds no more

    def __init__(self, durations: Any) -> None:
        durations = durations if isinstance(durations, dict) else {}
        self.known = {name: ms for name, ms in durations.items() if _is_duration(ms)}

    def of(self, name: str, unknown: timedelta = timedelta()) -> timedelta:
        if name not in self.known:
            return unknown
        return timedelta(milliseconds=min(self.known[name], self.MAX_MS))

    def end_of_stream(self, unknown: timedelta) -> timedelta:
        if "stream_ms" not in self.known:
            return unknown
        return self.of("first_byte_ms") + self.of("stream_ms")


def _is_duration(ms: Any) -> bool:
    # `type()` is quick: this runs ten times for each of thousands of spans.
    return type(ms) in _NUMBERS and ms >= 0


def moment(text: Any) -> datetime | None:
    """A text of ISO 8601 as a time; None for anything else, and without a time zone."""
    try:
        parsed = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return parsed if parsed is not None and parsed.tzinfo is not None else None
