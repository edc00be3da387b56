"""The rounds of a trace, each with its generations, calls and compactions."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from django.db.models import Q

from db.arguments import padded
from tracing.journal.cost import is_estimated
from tracing.models import Payload, Span, Trace
from tracing.models.attributes import generation_attributes

# By the primary key of the span, and the stage.
StoredPayloads = dict[tuple[int, str], Payload]
_PARTS = (Span.Kind.GENERATION, Span.Kind.TOOL)


@dataclass(frozen=True)
class Compaction:
    """A compaction, with the model calls of its summary."""

    span: Span
    generations: list[Span]

    @property
    def number(self) -> int:
        return self.span.number


@dataclass(frozen=True)
class Round:
    """A round's span, its attempts and its calls in order. `compactions` came before it; `after`
    has those after the last round."""

    span: Span
    generations: list[Span]
    calls: list[Span]
    compactions: list[Compaction] = field(default_factory=list)
    after: list[Compaction] = field(default_factory=list)
    next_span: Span | None = None  # of the next round

    @property
    def number(self) -> int:
        return self.span.number

    @property
    def spans(self) -> list[Span]:
        """Its attempts and its calls."""
        return [*self.generations, *self.calls]

    @property
    def all_compactions(self) -> list[Compaction]:
        """The compactions before it, and after it if it is the last round."""
        return [*self.compactions, *self.after]

    @property
    def model_calls(self) -> list[Span]:
        """The attempts of its compactions' summaries, and its own."""
        return [
            *(one for compaction in self.all_compactions for one in compaction.generations),
            *self.generations,
        ]

    @property
    def tokens_in(self) -> int:
        return sum(tokens(span, "prompt_tokens") for span in self.generations)

    @property
    def tokens_out(self) -> int:
        return sum(tokens(span, "completion_tokens") for span in self.generations)

    @property
    def is_estimated(self) -> bool:
        """Whether some of its tokens are not those that a provider reported."""
        return any(
            is_estimated(generation_attributes(one).get("usage")) for one in self.generations
        )


def rounds(trace: Trace) -> list[Round]:
    """All rounds in order, in one query."""
    spans = Span.objects.journal_of(trace.pk)
    set_trace = Span._meta.get_field("trace").set_cached_value
    for span in spans:
        set_trace(span, trace)
    return list(group_rounds(spans))


def compactions(trace: Trace) -> list[Compaction]:
    """The compactions of a trace without rounds."""
    spans = Q(kind=Span.Kind.COMPACTION) | Q(parent__kind=Span.Kind.COMPACTION)
    return _compactions(trace.spans.filter(spans).order_by("id"))


def round_numbers(trace: Trace) -> list[int]:
    numbers = trace.spans.filter(kind=Span.Kind.ROUND).order_by("number")
    return list(numbers.values_list("number", flat=True))


def find_round(trace: Trace, number: int) -> Round | None:
    """One round, in one query: also its neighbours are read, between which compactions stand."""
    rounds = Q(kind=Span.Kind.ROUND, number__gte=number - 1, number__lte=number + 1)
    parts = Q(kind__in=_PARTS, parent__kind=Span.Kind.ROUND, parent__number=number)
    compactions = Q(kind=Span.Kind.COMPACTION) | Q(parent__kind=Span.Kind.COMPACTION)
    spans = trace.spans.filter(rounds | parts | compactions).order_by("number", "id")
    return next((round_ for round_ in group_rounds(spans) if round_.number == number), None)


def payloads_of(spans: Iterable[Span]) -> StoredPayloads:
    """The payloads of these spans by (span, stage), in one query."""
    by_id = {span.pk: span for span in spans}
    if not by_id:
        return {}
    rows = Payload.objects.of_spans(**padded(list(by_id)))
    for payload in rows:
        payload.span = by_id[payload.span_id]
    return {(payload.span_id, payload.stage): payload for payload in rows}


def tokens(span: Span, name: str) -> int:
    """A count of the usage that the provider reported; 0 for anything that is no number."""
    usage = generation_attributes(span).get("usage")
    figure = usage.get(name) if isinstance(usage, dict) else None
    return figure if isinstance(figure, int) and not isinstance(figure, bool) else 0


def group_rounds(spans: Iterable[Span]) -> Iterator[Round]:
    """The rounds of one trace, from its spans in the order of number and id."""
    by_kind: defaultdict[str, list[Span]] = defaultdict(list)
    parts: defaultdict[tuple[int | None, str], list[Span]] = defaultdict(list)
    for span in spans:
        by_kind[span.kind].append(span)
        parts[span.parent_id, span.kind].append(span)
    rounds = by_kind[Span.Kind.ROUND]
    before, after = _place_compactions(
        _compactions([*by_kind[Span.Kind.COMPACTION], *by_kind[Span.Kind.GENERATION]]), rounds
    )
    for span, next_span in zip_longest(rounds, rounds[1:]):
        yield Round(
            span,
            parts[span.pk, Span.Kind.GENERATION],
            parts[span.pk, Span.Kind.TOOL],
            before[span.pk],
            after if span is rounds[-1] else [],
            next_span,
        )


def _compactions(spans: Iterable[Span]) -> list[Compaction]:
    """The compactions among these spans, in their order, with their generations."""
    generations: defaultdict[int | None, list[Span]] = defaultdict(list)
    compactions: list[Span] = []
    for span in spans:
        if span.kind == Span.Kind.COMPACTION:
            compactions.append(span)
        elif span.kind == Span.Kind.GENERATION:
            generations[span.parent_id].append(span)
    return [
        Compaction(span, generations[span.pk]) for span in sorted(compactions, key=lambda s: s.pk)
    ]


def _place_compactions(
    compactions: Iterable[Compaction], rounds: list[Span]
) -> tuple[dict[int, list[Compaction]], list[Compaction]]:
    """The compactions before each round, by its primary key, and those after the last round:
    primary keys are in the order in which spans begin."""
    before: defaultdict[int, list[Compaction]] = defaultdict(list)
    after: list[Compaction] = []
    round_ids = [span.pk for span in rounds]
    for one in compactions:
        place = bisect(round_ids, one.span.pk)
        (before[round_ids[place]] if place < len(round_ids) else after).append(one)
    return before, after
