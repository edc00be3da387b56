"""The content of a `Metric` row, as a value that can be added to another."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from limits.traces import MAX_DIGEST_ERROR
from tracing.models import Metric
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.histogram import Histogram

# Fields of which the sum of two counters is the sum of the fields.
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
    """The subject of a metric: kind, group and name."""

    kind: str
    group: str
    name: str


@dataclass
class Counters:
    """Counts, durations (`_ms`: milliseconds) and cost (US dollars) of one subject.

    `slowest` and `last_failed` are primary keys of spans.
    """

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

    def add_duration(self, ms: float, span: int | None) -> None:
        self.total_ms += round(ms)
        self.durations[histogram.bucket(ms)] += 1
        self.keep_slowest(round(ms), span)

    def add_first_token(self, ms: float) -> None:
        """`ms` until the first token."""
        self.first_tokens_ms += round(ms)
        self.first_tokens[histogram.bucket(ms)] += 1

    def add_error(self, error: str, span: int | None) -> None:
        self.errors += 1
        self.keep_last_error(error[:MAX_DIGEST_ERROR], span)

    def add(self, other: "Counters") -> None:
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.cost += other.cost
        self.durations.update(other.durations)
        self.first_tokens.update(other.first_tokens)
        self.keep_slowest(other.slowest_ms, other.slowest)
        if other.errors:
            self.keep_last_error(other.last_error, other.last_failed)

    def keep_slowest(self, ms: int, span: int | None) -> None:
        """Keeps the longer duration. Its span may be deleted."""
        if ms > self.slowest_ms or (self.slowest is None and ms == self.slowest_ms):
            self.slowest_ms, self.slowest = ms, span

    def keep_last_error(self, error: str, span: int | None) -> None:
        """Keeps the error of the span that started later, the one with the larger key."""
        if (span or 0) >= (self.last_failed or 0):
            self.last_error, self.last_failed = error, span


def read_row(row: Metric) -> Counters:
    sums = {name: getattr(row, name) for name in SUMS}
    counters = Counters(
        **sums,
        cost=row.cost,
        slowest_ms=row.slowest_ms,
        slowest=row.slowest_id,
        last_error=row.last_error,
        last_failed=row.last_failed_id,
    )
    histogram.merge(counters.durations, row.durations)
    histogram.merge(counters.first_tokens, row.first_tokens)
    return counters


def row_columns(counters: Counters) -> dict[str, Any]:
    """Values of the row's attributes by name."""
    return {
        **{name: getattr(counters, name) for name in SUMS},
        "cost": counters.cost,
        "durations": histogram.stored(counters.durations),
        "first_tokens": histogram.stored(counters.first_tokens),
        "slowest_ms": counters.slowest_ms,
        "slowest_id": counters.slowest,
        "last_error": counters.last_error,
        "last_failed_id": counters.last_failed,
    }
