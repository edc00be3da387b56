"""The traces of a conversation, or of a session of the gateway, turn by turn."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from db.public_ids import parse_public_id
from limits.trace_pages import MAX_ARCHIVE_TURNS, MAX_LINKED_ROUNDS
from tracing.journal import phases
from tracing.journal import subagents as nested
from tracing.journal.phases import TraceState
from tracing.models import Span, Trace, TraceQuerySet
from tracing.models.attributes import trace_attributes


@dataclass(frozen=True)
class Round:
    number: int
    status: str
    elapsed: timedelta | None


@dataclass(frozen=True)
class Turn:
    trace: Trace
    place: int
    rounds: list[Round]
    count: int
    elapsed: timedelta
    subagents: int
    # None after its end.
    state: TraceState | None

    @property
    def more(self) -> int:
        return self.count - len(self.rounds)


@dataclass(frozen=True)
class ArchivePage:
    """`next` is the key after which the next page starts; None on the last page."""

    title: str
    conversation: str
    count: int
    turns: list[Turn]
    next: int | None
    is_first: bool
    # The request for the conversation's title, if there was one.
    title_trace: Trace | None


def read_archive(traces: TraceQuerySet, after: int) -> ArchivePage | None:
    """None if there are no traces. The same few queries however many rounds there are."""
    turns = traces.filter(kind__in=[Trace.Kind.TURN, Trace.Kind.GATEWAY])
    first = traces.order_by("pk").first()
    if first is None:
        return None
    listed = list(turns.filter(pk__gt=after).order_by("pk")[: MAX_ARCHIVE_TURNS + 1])
    page_traces, now = listed[:MAX_ARCHIVE_TURNS], timezone.now()
    count_before = turns.filter(pk__lte=after).count() if after else 0
    rounds, subagents = _rounds(page_traces, now), nested.subagent_counts(page_traces)
    states = phases.states(page_traces)
    return ArchivePage(
        title=trace_attributes(first).get("session") or first.name,
        conversation=str(parse_public_id(trace_attributes(first).get("conversation")) or ""),
        count=turns.count(),
        turns=[
            Turn(
                trace,
                place,
                *rounds[trace.pk],
                trace.elapsed(now),
                subagents.get(trace.pk, 0),
                states.get(trace.pk),
            )
            for place, trace in enumerate(page_traces, count_before + 1)
        ],
        next=page_traces[-1].pk if len(listed) > MAX_ARCHIVE_TURNS else None,
        is_first=not after,
        title_trace=traces.filter(kind=Trace.Kind.TITLE).order_by("-pk").first(),
    )


def _rounds(traces: list[Trace], now: datetime) -> dict[int, tuple[list[Round], int]]:
    spans = Span.objects.filter(trace__in=traces, kind=Span.Kind.ROUND).order_by("number")
    rows = spans.only("trace_id", "number", "status", "started", "ended")
    by_trace: defaultdict[int, list[Round]] = defaultdict(list)
    for span in rows:
        by_trace[span.trace_id].append(Round(span.number, span.status, span.elapsed(now)))
    return {
        trace.pk: (by_trace[trace.pk][:MAX_LINKED_ROUNDS], len(by_trace[trace.pk]))
        for trace in traces
    }
