"""A trace as it is read: rounds, each with its generations and its tool calls."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tracing.models import Payload, Span, Trace

_PARTS = (Span.Kind.GENERATION, Span.Kind.TOOL)


@dataclass(frozen=True)
class Round:
    """A round's span; its attempts and its calls in order."""

    span: Span
    generations: list[Span]
    calls: list[Span]

    @property
    def number(self) -> int:
        return self.span.number

    @property
    def spans(self) -> list[Span]:
        return [*self.generations, *self.calls]

    @property
    def tokens_in(self) -> int:
        return sum(tokens(span, "prompt_tokens") for span in self.generations)

    @property
    def tokens_out(self) -> int:
        return sum(tokens(span, "completion_tokens") for span in self.generations)


def rounds(trace: Trace) -> list[Round]:
    """All rounds in order, in one query."""
    spans = trace.spans.filter(kind__in=[Span.Kind.ROUND, *_PARTS]).order_by("number", "id")
    return list(_grouped(spans.defer("owner", "token", "lease_expires")))


def round_numbers(trace: Trace) -> list[int]:
    numbers = trace.spans.filter(kind=Span.Kind.ROUND).order_by("number")
    return list(numbers.values_list("number", flat=True))


def find_round(trace: Trace, number: int) -> Round | None:
    span = trace.spans.filter(kind=Span.Kind.ROUND, number=number).first()
    if span is None:
        return None
    parts = span.children.filter(kind__in=_PARTS).order_by("number", "id")
    return next(_grouped([span, *parts]))


def payloads_of(spans: Iterable[Span]) -> dict[tuple[int, str], Payload]:
    """The payloads of these spans by (span, stage), in one query."""
    rows = Payload.objects.filter(span__in=spans).select_related("span__trace")
    return {(payload.span_id, payload.stage): payload for payload in rows}


def tokens(span: Span, name: str) -> int:
    """A figure of the usage that the provider reported; 0 for anything that is no number."""
    usage = span.attributes.get("usage")
    figure = usage.get(name) if isinstance(usage, dict) else None
    return figure if isinstance(figure, int) and not isinstance(figure, bool) else 0


def _grouped(spans: Iterable[Span]) -> Iterator[Round]:
    found: list[Span] = []
    generations: defaultdict[int | None, list[Span]] = defaultdict(list)
    calls: defaultdict[int | None, list[Span]] = defaultdict(list)
    for span in spans:
        if span.kind == Span.Kind.ROUND:
            found.append(span)
        else:
            groups = generations if span.kind == Span.Kind.GENERATION else calls
            groups[span.parent_id].append(span)
    for span in found:
        yield Round(span, generations[span.pk], calls[span.pk])
