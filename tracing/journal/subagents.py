"""The traces of subagents below the calls that began them, in a few queries a turn."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, QuerySet

from limits.trace_pages import MAX_NESTED_ROUNDS, MAX_NESTED_SPANS
from tracing.journal.cost import cost
from tracing.journal.trace_rounds import Round, group_rounds, tokens
from tracing.models import Span, Trace
from tracing.models.attributes import call_attributes, generation_attributes

_KINDS = (Span.Kind.ROUND, Span.Kind.GENERATION, Span.Kind.TOOL, Span.Kind.COMPACTION)


@dataclass(frozen=True)
class Figures:
    """Totals of one or several turns; `cost` in US dollars, None if no price is known."""

    rounds: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None

    def __add__(self, other: "Figures") -> "Figures":
        costs = [one for one in (self.cost, other.cost) if one is not None]
        return Figures(
            self.rounds + other.rounds,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs, Decimal(0)) if costs else None,
        )


@dataclass(frozen=True)
class NestedTurn:
    """A subagent's trace; `rounds` are read only if they are listed."""

    trace: Trace
    rounds: list[Round]
    figures: Figures

    @property
    def more(self) -> int:
        """Count of rounds that are not listed."""
        return max(0, self.figures.rounds - MAX_NESTED_ROUNDS)


def topmost(trace: Trace) -> Trace:
    """The trace of the turn that a person began; for other programs its subagents are part of
    it."""
    while trace.parent is not None:
        trace = trace.parent.trace
    return trace


def nested_turns(calls: Iterable[Span], listed: Iterable[Span]) -> dict[int, NestedTurn]:
    """The turns of subagents by the primary key of the call that began each, with their rounds for
    `listed` calls. Two queries, none if no call began a subagent."""
    parents = [call.pk for call in calls if call_attributes(call).get("subagent")]
    if not parents:
        return {}
    listed_ids = {call.pk for call in listed}
    traces = list(Trace.objects.filter(parent__in=parents).order_by("pk"))
    rounds = _rounds([one for one in traces if one.parent_id in listed_ids or one.digested is None])
    return {
        trace.parent_id: NestedTurn(
            trace,
            rounds[trace.pk],
            figures(rounds[trace.pk]) if trace.digested is None else stored_figures(trace),
        )
        for trace in traces
        if trace.parent_id is not None
    }


def subagent_counts(traces: Iterable[Trace]) -> dict[int, int]:
    """The count of subagents of each trace that began any, by primary key. One query; the archives
    of subagents are below those of the turns."""
    archives = {trace.pk: trace.archive_id for trace in traces}
    nested = Trace.objects.filter(
        kind=Trace.Kind.SUBAGENT,
        archive__parent__in=set(archives.values()),
        parent__trace__in=archives,
    )
    rows = nested.values_list("parent__trace").annotate(Count("pk")).order_by()
    return {trace_id: count for trace_id, count in rows if trace_id is not None}


def total(nested: Mapping[int, NestedTurn]) -> Figures:
    return sum((one.figures for one in nested.values()), Figures())


def stored_figures(trace: Trace) -> Figures:
    """The figures in the row of a trace that was counted."""
    return Figures(
        trace.rounds or 0,
        trace.calls or 0,
        trace.tokens_in or 0,
        trace.tokens_out or 0,
        trace.cost,
    )


def figures(rounds: Iterable[Round]) -> Figures:
    """The figures of these rounds, those of summaries included."""
    return sum((_figures(round_) for round_ in rounds), Figures())


def _figures(round_: Round) -> Figures:
    return Figures(
        1,
        len(round_.calls),
        sum(tokens(span, "prompt_tokens") for span in round_.model_calls),
        sum(tokens(span, "completion_tokens") for span in round_.model_calls),
        cost_of(round_.model_calls),
    )


def cost_of(generations: Iterable[Span]) -> Decimal | None:
    """US dollars of all attempts whose cost is known; None if no cost is known."""
    costs = [
        cost(generation_attributes(one).get("usage"), generation_attributes(one).get("prices"))
        for one in generations
    ]
    known_costs = [one for one in costs if one is not None]
    return sum(known_costs, Decimal(0)) if known_costs else None


def _rounds(traces: Iterable[Trace]) -> dict[int, list[Round]]:
    spans: defaultdict[int, list[Span]] = defaultdict(list)
    for span in _spans([trace.pk for trace in traces]):
        spans[span.trace_id].append(span)
    rounds = {trace_id: list(group_rounds(rows)) for trace_id, rows in spans.items()}
    return defaultdict(list, rounds)


def _spans(traces: list[int]) -> QuerySet[Span]:
    spans = Span.objects.filter(trace__in=traces, kind__in=_KINDS)
    return spans.order_by("trace", "number", "id")[:MAX_NESTED_SPANS] if traces else spans.none()
