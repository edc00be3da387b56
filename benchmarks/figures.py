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
    """The result of one turn, which began at `began_us` (CLOCK_MONOTONIC); `first_token_us` is the
    time from there to its first token, `error` is None if it succeeded."""

    tally: TokenTally
    first_token_us: int | None = None
    error: str | None = None
    began_us: int = 0


@dataclass(frozen=True)
class Steady:
    """The tokens that were sent while all streams ran: from `began_us`, when the last stream had
    its first token, to `ended_us`, when the first one had its last (CLOCK_MONOTONIC)."""

    began_us: int
    ended_us: int
    tokens: int
    latency: Spread

    @property
    def seconds(self) -> float:
        return (self.ended_us - self.began_us) / 1e6


@dataclass(frozen=True)
class Figures:
    """Figures of a run with `streams` concurrent streams.

    Tokens are counted in `expected`, `lost`, `duplicated` and `reordered`; `seconds` is the length
    of the run. `steady` is None if the streams did not all run at one time.
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
    steady: Steady | None = None

    @property
    def received(self) -> int:
        return self.expected - self.lost

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Self:
        spreads = {name: Spread(**row[name]) if row[name] else None for name in _SPREADS}
        return cls(**{**row, **spreads, "steady": _steady_from_json(row["steady"])})


_SPREADS = ("first_token", "latency")


def _steady_from_json(row: dict[str, Any] | None) -> Steady | None:
    return Steady(**{**row, "latency": Spread(**row["latency"])}) if row else None


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
        steady=steady(outcomes) if streams == len(outcomes) else None,
    )


def steady(outcomes: Sequence[Outcome]) -> Steady | None:
    """The steady part of a run in which each stream had one turn."""
    tallies = [outcome.tally for outcome in outcomes]
    if any(one.first_token_us is None or not one.tally.sent_us for one in outcomes):
        return None
    began = max(one.began_us + (one.first_token_us or 0) for one in outcomes)
    ended = min(max(tally.sent_us) for tally in tallies)
    latencies = [
        latency
        for tally in tallies
        for sent, latency in zip(tally.sent_us, tally.latencies_us, strict=True)
        if began <= sent < ended
    ]
    values = spread(latencies)
    return Steady(began, ended, len(latencies), values) if values else None
