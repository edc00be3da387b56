"""The turns of subagents below the calls that began them, a few queries for all of a turn."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, QuerySet

from limits.trace_pages import MAX_NESTED_ROUNDS, MAX_NESTED_SPANS
from tracing.journal.cost import cost
from tracing.journal.trace_rounds import Round, grouped, tokens
from tracing.models import Span, Trace
from tracing.models.attributes import call_attributes, generation_attributes

_KINDS = (Span.Kind.ROUND, Span.Kind.GENERATION, Span.Kind.TOOL, Span.Kind.COMPACTION)


@dataclass(frozen=True)
class Figures:
    """Of one turn or of several; `cost` in US dollars, None where no price is known."""

    rounds: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None

    def __add__(self, other: "Figures") -> "Figures":
        known = [one for one in (self.cost, other.cost) if one is not None]
        return Figures(
            self.rounds + other.rounds,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(known, Decimal(0)) if known else None,
        )


@dataclass(frozen=True)
class NestedTurn:
    """A subagent's trace; `rounds` are read only where they are listed."""

    trace: Trace
    rounds: list[Round]
    figures: Figures

    @property
    def more(self) -> int:
        """How many rounds are not listed."""
        return max(0, self.figures.rounds - MAX_NESTED_ROUNDS)


def topmost(trace: Trace) -> Trace:
    """The turn that a person began: outside, all that its subagents did is of one trace."""
    while trace.parent is not None:
        trace = trace.parent.trace
    return trace


def begun_by(calls: Iterable[Span], listed: Iterable[Span]) -> dict[int, NestedTurn]:
    """The nested turns by the call (its primary key) that began each; the rounds of those that
    `listed` calls began. Two queries, none where no call began any."""
    parents = [call.pk for call in calls if call_attributes(call).get("subagent")]
    if not parents:
        return {}
    wanted = {call.pk for call in listed}
    traces = list(Trace.objects.filter(parent__in=parents).order_by("pk"))
    read = [one for one in traces if one.parent_id in wanted or one.digested is None]
    rounds = _rounds(read)
    return {
        trace.parent_id: NestedTurn(
            trace,
            rounds[trace.pk],
            figures(rounds[trace.pk]) if trace.digested is None else counted(trace),
        )
        for trace in traces
        if trace.parent_id is not None
    }


def counts(traces: Iterable[Trace]) -> dict[int, int]:
    """How many subagents each of these began, where it began any. One query; their archives are
    below those of the turns."""
    rows = {trace.pk: trace.archive_id for trace in traces}
    begun = Trace.objects.filter(
        kind=Trace.Kind.SUBAGENT, archive__parent__in=set(rows.values()), parent__trace__in=rows
    )
    counted = begun.values_list("parent__trace").annotate(Count("pk")).order_by()
    return {trace_id: count for trace_id, count in counted if trace_id is not None}


def total(nested: Mapping[int, NestedTurn]) -> Figures:
    return sum((one.figures for one in nested.values()), Figures())


def counted(trace: Trace) -> Figures:
    """As its row says."""
    return Figures(
        trace.rounds or 0,
        trace.calls or 0,
        trace.tokens_in or 0,
        trace.tokens_out or 0,
        trace.cost,
    )


def figures(rounds: Iterable[Round]) -> Figures:
    """As its spans say: summaries were paid for too."""
    return sum((_figures(round_) for round_ in rounds), Figures())


def _figures(round_: Round) -> Figures:
    return Figures(
        1,
        len(round_.calls),
        sum(tokens(span, "prompt_tokens") for span in round_.asked),
        sum(tokens(span, "completion_tokens") for span in round_.asked),
        cost_of(round_.asked),
    )


def cost_of(generations: Iterable[Span]) -> Decimal | None:
    """US dollars of all attempts whose cost is known; None if none's is."""
    costs = (
        cost(generation_attributes(one).get("usage"), generation_attributes(one).get("prices"))
        for one in generations
    )
    known = [some for some in costs if some is not None]
    return sum(known, Decimal(0)) if known else None


def _rounds(traces: Iterable[Trace]) -> dict[int, list[Round]]:
    spans: defaultdict[int, list[Span]] = defaultdict(list)
    for span in _spans([trace.pk for trace in traces]):
        spans[span.trace_id].append(span)
    rounds = {trace_id: list(grouped(some)) for trace_id, some in spans.items()}
    return defaultdict(list, rounds)


def _spans(traces: list[int]) -> QuerySet[Span]:
    spans = Span.objects.filter(trace__in=traces, kind__in=_KINDS)
    return spans.order_by("trace", "number", "id")[:MAX_NESTED_SPANS] if traces else spans.none()
