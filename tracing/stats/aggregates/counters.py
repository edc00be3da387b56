"""What is counted of one kind of work: the content of a `Measure` row, as a value that adds up."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from limits.traces import MAX_DIGEST_ERROR
from tracing.models import Measure
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.histogram import Histogram

# The counts that are simply added.
SUMS = (
    "count",
    "errors",
    "retries",
    "rounds",
    "tokens_in",
    "tokens_out",
    "tokens_cached",
    "total_ms",
    "first_tokens_ms",
)


class Key(NamedTuple):
    """What a measure is of: a kind, its group and its name."""

    kind: str
    group: str
    name: str


@dataclass
class Tally:
    """Durations in milliseconds, cost in US dollars. Spans by primary key."""

    count: int = 0
    errors: int = 0
    retries: int = 0
    rounds: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: Decimal = Decimal(0)
    total_ms: int = 0
    first_tokens_ms: int = 0
    durations: Histogram = field(default_factory=Counter)
    first_tokens: Histogram = field(default_factory=Counter)
    slowest_ms: int = 0
    slowest: int | None = None
    last_error: str = ""
    last_failed: int | None = None

    def took(self, ms: float, span: int | None) -> None:
        """Notes how long one of them took."""
        self.total_ms += round(ms)
        self.durations[histogram.bucket(ms)] += 1
        self.note_slowest(round(ms), span)

    def began(self, ms: float) -> None:
        """Notes after what time its first token came."""
        self.first_tokens_ms += round(ms)
        self.first_tokens[histogram.bucket(ms)] += 1

    def failed(self, error: str, span: int | None) -> None:
        self.errors += 1
        self.note_error(error[:MAX_DIGEST_ERROR], span)

    def add(self, other: "Tally") -> None:
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.cost += other.cost
        self.durations.update(other.durations)
        self.first_tokens.update(other.first_tokens)
        self.note_slowest(other.slowest_ms, other.slowest)
        if other.errors:
            self.note_error(other.last_error, other.last_failed)

    def note_slowest(self, ms: int, span: int | None) -> None:
        """The slower one. Its span may be gone by now."""
        if ms > self.slowest_ms or (self.slowest is None and ms == self.slowest_ms):
            self.slowest_ms, self.slowest = ms, span

    def note_error(self, error: str, span: int | None) -> None:
        """The later one: spans are numbered as they begin."""
        if (span or 0) >= (self.last_failed or 0):
            self.last_error, self.last_failed = error, span


def read(row: Measure) -> Tally:
    """The content of a row."""
    sums = {name: getattr(row, name) for name in SUMS}
    tally = Tally(
        **sums,
        cost=row.cost,
        slowest_ms=row.slowest_ms,
        slowest=row.slowest_id,
        last_error=row.last_error,
        last_failed=row.last_failed_id,
    )
    histogram.merge(tally.durations, row.durations)
    histogram.merge(tally.first_tokens, row.first_tokens)
    return tally


def columns(tally: Tally) -> dict[str, Any]:
    """The content as a row takes it."""
    return {
        **{name: getattr(tally, name) for name in SUMS},
        "cost": tally.cost,
        "durations": histogram.stored(tally.durations),
        "first_tokens": histogram.stored(tally.first_tokens),
        "slowest_ms": tally.slowest_ms,
        "slowest": tally.slowest,
        "last_error": tally.last_error,
        "last_failed": tally.last_failed,
    }
