"""What the time of a span was spent on: time segments, each of one kind.

A generation's durations (`attributes.timings`, milliseconds; see `chat.engine.generation.exchange`)
are laid one after the other from where the request was sent. Before them lies what its row took to
be stored, behind them the wait for its end to be; what neither explains lies before all. A call is
asked for (`created`), waits for a person, for a worker and for a session, then runs; one that began
a subagent is the subagent's. All of a compaction, its summary's model call too, is one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import TextChoices
from django.utils.dateparse import parse_datetime

from tracing.models import Span
from tracing.models.attributes import call_attributes, generation_attributes


class Kind(TextChoices):
    """In the order in which they are told; `OURS` is what nothing else explains."""

    QUEUE = "queue", "queue"
    PRE = "pre", "pre-processing"
    START = "start", "starting the server"
    CONNECT = "connect", "connecting"
    WAIT = "wait", "waiting for the first token"
    STREAM = "stream", "streaming"
    MODEL = "model", "model at work"
    POST = "post", "post-processing"
    TOOL = "tool", "tools"
    SUBAGENT = "subagent", "subagents"
    COMPACTION = "compaction", "making room in the context"
    CONTEXT = "context", "building the request"
    STORE = "store", "storing"
    PERSON = "person", "waiting for a person"
    PAUSE = "pause", "waiting to try again"
    OURS = "ours", "the rest"


_NUMBERS = frozenset({int, float})


@dataclass(frozen=True)
class TimeSegment:
    kind: Kind
    start: datetime
    end: datetime


def time_segments(span: Span, now: datetime) -> list[TimeSegment]:
    """Within the span, except for the wait for a next attempt. None of them is empty."""
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
    yield from _laid(start, end, _phases(timings, end - start))
    if span.ended is not None and (wait := retry_wait(span)):
        yield TimeSegment(Kind.PAUSE, end, end + wait)


def _phases(timings: "_Durations", whole: timedelta) -> list[tuple[Kind, timedelta]]:
    """What followed what; the last but one has what is left of the whole."""
    opening = timings.of("open_ms")
    before = [(Kind.PRE, timings.of("pre_ms")), (Kind.CONNECT, timings.of("send_ms"))]
    after = timings.of("post_ms")
    took = sum((length for _, length in before), opening)
    sent = max(timedelta(), whole - after - took)
    if not {"connect_ms", "first_token_ms"} & timings.known.keys():
        asked = [(Kind.CONNECT if timings.known else Kind.MODEL, sent)]
    else:
        connected = min(sent, timings.of("connect_ms"))
        first = max(connected, min(sent, timings.of("first_token_ms", sent)))
        streamed = max(first, min(sent, timings.end_of_stream(sent)))
        asked = [
            (Kind.CONNECT, connected),
            (Kind.WAIT, first - connected),
            (Kind.STREAM, streamed - first),
        ]
    slack = max(timedelta(), sent - sum((length for _, length in asked), timedelta()))
    rest = [*before, *asked, (Kind.POST, after)]
    if "open_ms" in timings.known:
        return [(Kind.STORE, opening), *rest, (Kind.STORE, slack)]
    return [(Kind.OURS, slack), *rest]


def _laid(
    start: datetime, end: datetime, phases: Iterable[tuple[Kind, timedelta]]
) -> Iterator[TimeSegment]:
    """One after the other, and none beyond the end."""
    at = start
    for kind, length in phases:
        if length:
            until = min(end, at + length)
            yield TimeSegment(kind, at, until)
            at = until


def _of_call(span: Span, end: datetime) -> Iterator[TimeSegment]:
    decided = _decided(span, end)
    if decided is not None:
        yield TimeSegment(Kind.PERSON, span.created, min(decided, end))
    begun = min(span.started or end, end)
    yield TimeSegment(Kind.QUEUE, max(span.created, decided or span.created), begun)
    waits = [
        TimeSegment(Kind.PERSON, asked, min(settled or end, end))
        for asked, settled in _waits(call_attributes(span).get("waits"))
    ]
    yield from waits
    for part in _run(span, begun, end):
        yield from _without(part, waits)


def _without(whole: TimeSegment, holes: Iterable[TimeSegment]) -> Iterator[TimeSegment]:
    """What is left of a segment in which a person was waited for."""
    at = whole.start
    for hole in sorted(holes, key=lambda hole: hole.start):
        yield TimeSegment(whole.kind, at, min(hole.start, whole.end))
        at = max(at, hole.end)
    yield TimeSegment(whole.kind, at, whole.end)


def _run(span: Span, begun: datetime, end: datetime) -> Iterator[TimeSegment]:
    """A session is waited for, its server is started, and it is opened before the request
    leaves."""
    if call_attributes(span).get("subagent"):
        yield TimeSegment(Kind.SUBAGENT, begun, end)
        return
    timing = _Durations(call_attributes(span).get("timing"))
    room, start, connect = (timing.of(name) for name in ("room_ms", "start_ms", "connect_ms"))
    if not (room or start or connect):
        yield TimeSegment(Kind.TOOL, begun, end)
        return
    sent = moment(call_attributes(span).get("sent")) or begun + room + start + connect
    sent = min(end, max(begun, sent))
    opened = max(begun, sent - connect)
    started = max(begun, opened - start)
    waited = max(begun, started - room)
    yield TimeSegment(Kind.TOOL, begun, waited)
    yield TimeSegment(Kind.QUEUE, waited, started)
    yield TimeSegment(Kind.START, started, opened)
    yield TimeSegment(Kind.CONNECT, opened, sent)
    yield TimeSegment(Kind.TOOL, sent, end)


def _decided(span: Span, end: datetime) -> datetime | None:
    """Until when a person was waited for; None if the call needed no approval."""
    if span.status == Span.Status.AWAITING_APPROVAL:
        return end
    decision = call_attributes(span).get("decision")
    at = moment(decision.get("at")) if isinstance(decision, dict) else None
    if at is None and call_attributes(span).get("needs_approval") and span.started is None:
        return end  # nobody decided before the turn was over
    return at


def _waits(pairs: Any) -> Iterator[tuple[datetime, datetime | None]]:
    """From each question of a server until it was settled, or is not yet."""
    for pair in pairs if isinstance(pairs, list) else ():
        asked, settled = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if (begin := moment(asked)) is not None:
            yield begin, moment(settled)


def retry_wait(span: Span) -> timedelta:
    """How long after its end the next attempt was to wait."""
    name = "retry_in_ms"
    return _Durations({name: call_attributes(span).get(name)}).of(name)


class _Durations:
    """Milliseconds by name, as far as they are any."""

    # Nothing lasts longer, and no more fits into a timedelta.
    MOST_MS = 10.0**12

    def __init__(self, durations: Any) -> None:
        durations = durations if isinstance(durations, dict) else {}
        self.known = {name: ms for name, ms in durations.items() if _is_duration(ms)}

    def of(self, name: str, unknown: timedelta = timedelta()) -> timedelta:
        if name not in self.known:
            return unknown
        return timedelta(milliseconds=min(self.known[name], self.MOST_MS))

    def end_of_stream(self, unknown: timedelta) -> timedelta:
        if "stream_ms" not in self.known:
            return unknown
        return self.of("first_byte_ms") + self.of("stream_ms")


def _is_duration(ms: Any) -> bool:
    # By its type: JSON has no others, and there are ten of each of thousands of spans.
    return type(ms) in _NUMBERS and ms >= 0


def moment(text: Any) -> datetime | None:
    """None for what is no moment with a time zone."""
    try:
        parsed = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return parsed if parsed is not None and parsed.tzinfo is not None else None
