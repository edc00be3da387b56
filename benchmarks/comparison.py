"""Whether two states differ in a figure by more than their runs differ among themselves.

The rule: the difference counts if every run of one state lies below every run of the other, and the
medians are farther apart than the runs of either state are among themselves. Between two states
without any difference it holds by chance in one figure of 5 with two runs of each, of 23 with
three, of 109 with four (`chance`); so a figure that matters is worth four runs.
"""

import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.tables import figure, table

HEADING = ("figure", "before", "after", "after ÷ before", "larger than the spread")


@dataclass(frozen=True)
class Comparison:
    """The values of a figure in the runs of two states."""

    before: Sequence[float]
    after: Sequence[float]

    @property
    def difference(self) -> float:
        """Between the medians."""
        return statistics.median(self.after) - statistics.median(self.before)

    @property
    def ratio(self) -> float | None:
        before = statistics.median(self.before)
        return statistics.median(self.after) / before if before else None

    @property
    def counts(self) -> bool:
        """By the rule above."""
        if min(len(self.before), len(self.after)) < 2:
            return False
        are_apart = max(self.before) < min(self.after) or max(self.after) < min(self.before)
        return are_apart and abs(self.difference) > max(_range(self.before), _range(self.after))


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def comparisons(
    before: Sequence[Mapping[str, float]], after: Sequence[Mapping[str, float]]
) -> dict[str, Comparison]:
    """Of each figure that a run of either state has."""
    names = dict.fromkeys(name for figures in (*before, *after) for name in figures)
    return {name: Comparison(_values(before, name), _values(after, name)) for name in names}


def _values(runs: Sequence[Mapping[str, float]], name: str) -> list[float]:
    return [figures[name] for figures in runs if name in figures]


def as_markdown(compared: Mapping[str, Comparison]) -> str:
    """A row for each figure that was measured in both states."""
    return table(HEADING, _rows(compared))


def _rows(compared: Mapping[str, Comparison]) -> Iterator[Sequence[str]]:
    for name, one in compared.items():
        if one.before and one.after:
            ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
            yield f"`{name}`", cell(one.before), cell(one.after), ratio, verdict(one)


def cell(values: Sequence[float]) -> str:
    """The median, and the smallest and largest value in brackets."""
    if not values:
        return "–"
    median = figure(statistics.median(values))
    return median if len(values) == 1 else f"{median} [{figure(min(values))}–{figure(max(values))}]"


def verdict(one: Comparison) -> str:
    if min(len(one.before), len(one.after)) < 2:
        return "one run"
    if not one.counts:
        return "no"
    return "yes, lower" if one.difference < 0 else "yes, higher"


def chance(runs: int, tries: int = 20_000) -> float:
    """How often the rule finds a difference between two states that have none, with so many runs
    of each: values of one normal distribution, the same in every call."""
    numbers = random.Random(runs)

    def values() -> list[float]:
        return [numbers.gauss(0, 1) for _ in range(runs)]

    return sum(Comparison(values(), values()).counts for _ in range(tries)) / tries
