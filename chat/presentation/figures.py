"""Speed and cost of an answer, from the model calls that its page has read anyway."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tracing.journal.cost import cost
from tracing.journal.trace_rounds import tokens
from tracing.models import Span
from tracing.models.attributes import generation_attributes

# A stream that is shorter says nothing of speed: it came at once.
_MIN_STREAM_MS = 100


@dataclass(frozen=True)
class AnswerFigures:
    """`speed`: tokens a second while the model wrote, None if that is not known; `cost`: US
    dollars, None unless every call has its prices."""

    speed: float | None
    cost: Decimal | None


def answer_figures(calls: Sequence[Span]) -> AnswerFigures:
    """Of an answer's generations and compactions."""
    generations = [span for span in calls if span.kind == Span.Kind.GENERATION]
    return AnswerFigures(_speed(generations), _cost(generations))


def _speed(generations: Sequence[Span]) -> float | None:
    streams = [(tokens(one, "completion_tokens"), _stream_ms(one)) for one in generations]
    told = [(count, ms) for count, ms in streams if count > 0 and ms >= _MIN_STREAM_MS]
    return 1000 * sum(count for count, _ in told) / sum(ms for _, ms in told) if told else None


def _stream_ms(generation: Span) -> float:
    timings = generation_attributes(generation).get("timings")
    stream = timings.get("stream_ms") if isinstance(timings, dict) else None
    return float(stream) if isinstance(stream, int | float) else 0.0


def _cost(generations: Sequence[Span]) -> Decimal | None:
    called = [generation_attributes(one) for one in generations if tokens(one, "prompt_tokens")]
    prices = [cost(one.get("usage"), one.get("prices")) for one in called]
    known = [price for price in prices if price is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(prices) else None
