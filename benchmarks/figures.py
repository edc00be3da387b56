"""The figures of a run: percentiles and sums over all its turns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from benchmarks.tokens import TokenTally


@dataclass(frozen=True)
class Spread:
    """Percentiles in milliseconds (nearest-rank: each is a measured value)."""

    p50: float
    p95: float
    p99: float
    max: float


@dataclass
class Outcome:
    """The result of one turn; `error` is None if it succeeded."""

    tally: TokenTally
    first_token_us: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class Figures:
    """Figures of a run with `streams` concurrent streams.

    Tokens are counted in `expected`, `lost`, `duplicated` and `reordered`; `seconds` is the length
    of the run.
    """

    streams: int
    turns: int
    failed: int
    expected: int
    lost: int
    duplicated: int
    reordered: int
    seconds: float
    client_cpu_ms: float
    first_token: Spread | None
    latency: Spread | None
    errors: list[str] = field(default_factory=list)

    @property
    def received(self) -> int:
        return self.expected - self.lost

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Self:
        spreads = {name: Spread(**row[name]) if row[name] else None for name in _SPREADS}
        return cls(**{**row, **spreads})


_SPREADS = ("first_token", "latency")


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the least value that at least `percent` % do not exceed."""
    rank = math.ceil(len(ordered) * percent / 100)
    return ordered[max(rank, 1) - 1]


def spread(values_us: Sequence[int]) -> Spread | None:
    """The percentiles of values in microseconds; None without a value."""
    if not values_us:
        return None
    ordered = sorted(values_us)
    p50, p95, p99 = (percentile(ordered, percent) / 1000 for percent in (50, 95, 99))
    return Spread(p50, p95, p99, ordered[-1] / 1000)


def figures(
    streams: int, outcomes: Sequence[Outcome], seconds: float, client_cpu_ms: float
) -> Figures:
    tallies = [outcome.tally for outcome in outcomes]
    errors = sorted({outcome.error for outcome in outcomes if outcome.error})
    firsts = [outcome.first_token_us for outcome in outcomes]
    return Figures(
        streams=streams,
        turns=len(outcomes),
        failed=sum(outcome.error is not None for outcome in outcomes),
        expected=sum(tally.expected for tally in tallies),
        lost=sum(tally.lost for tally in tallies),
        duplicated=sum(tally.duplicated for tally in tallies),
        reordered=sum(tally.reordered for tally in tallies),
        seconds=seconds,
        client_cpu_ms=client_cpu_ms,
        first_token=spread([first for first in firsts if first is not None]),
        latency=spread([value for tally in tallies for value in tally.latencies_us]),
        errors=errors[:10],
    )
