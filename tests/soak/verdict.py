"""Which figures of a soak grow: the slope of a robust regression (Theil 1950, Sen 1968: the median
of the slopes of all pairs) after the warm-up, times the minutes that it covers.

A figure grows if that is more than its tolerance and more than a share of its level: caches fill,
allocators keep what they had, and a peak of load is no leak. The database grows with its turns: of
it, kilobytes a turn are looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from tests.soak.samples import Row

# A third of the run, and not less than these minutes of a run that is long enough.
WARM_UP_SHARE = 1 / 3
# Of a column by the end of its name: how much it may grow within HOUR, in its unit.
HOUR = 60.0
TOLERANCES_AN_HOUR = {
    "_mb": 12.0,
    "_descriptors": 12.0,
    "_threads": 8.0,
    "_keys": 60.0,
    "_clients": 8.0,
    "processes": 3.0,
    "kb_a_turn": 6.0,
}
# A figure may always grow by so much of its level: the noise of a short run is that large.
SHARE = 0.05
# Pairs of a regression: enough for its median, few enough to sort.
MAX_POINTS = 240
NOT_JUDGED = ("minutes", "turns", "database_mb")


@dataclass(frozen=True)
class Verdict:
    """Of one figure: its median level, how much it grew in the window, and how much it may."""

    name: str
    level: float
    grown: float
    allowed: float

    @property
    def is_flat(self) -> bool:
        return self.grown <= self.allowed


def judge(rows: Sequence[Row]) -> list[Verdict]:
    """Raises ValueError if there are too few rows to say anything."""
    window = list(after_warm_up(rows))
    if len(window) < 8:
        raise ValueError(f"{len(window)} samples after the warm-up are too few")
    names = [name for name in window[0] if name not in NOT_JUDGED]
    verdicts = [_verdict(name, window, [row[name] for row in window]) for name in names]
    return [*verdicts, _verdict("kb_a_turn", window, kilobytes_a_turn(window))]


def after_warm_up(rows: Sequence[Row]) -> Sequence[Row]:
    begins = rows[-1]["minutes"] * WARM_UP_SHARE if rows else 0
    return [row for row in rows if row["minutes"] >= begins]


def kilobytes_a_turn(rows: Sequence[Row]) -> list[float]:
    """What the database has grown for each turn since the window's first row; of rows without
    turns, what it was before."""
    first, figures = rows[0], list[float]()
    for row in rows:
        turns = row["turns"] - first["turns"]
        size = (row["database_mb"] - first["database_mb"]) * 1000
        figures.append(size / turns if turns else figures[-1] if figures else 0.0)
    # The first ones are of a turn or two.
    settled = figures[len(figures) // 2]
    return [settled if place < len(figures) // 2 else one for place, one in enumerate(figures)]


def _verdict(name: str, rows: Sequence[Row], values: Sequence[float]) -> Verdict:
    minutes = rows[-1]["minutes"] - rows[0]["minutes"]
    level = median(values)
    grown = slope([row["minutes"] for row in rows], values) * minutes
    tolerance = next(
        amount for suffix, amount in TOLERANCES_AN_HOUR.items() if name.endswith(suffix)
    )
    return Verdict(name, level, grown, max(tolerance * minutes / HOUR, SHARE * level))


def slope(times: Sequence[float], values: Sequence[float]) -> float:
    """The median slope of all pairs of at most MAX_POINTS points."""
    step = max(1, len(times) // MAX_POINTS)
    points = list(zip(times[::step], values[::step], strict=True))
    return median(
        (later - earlier) / (end - begin)
        for (begin, earlier), (end, later) in combinations(points, 2)
        if end > begin
    )


def render(verdicts: Sequence[Verdict]) -> str:
    """The table, with what grows marked."""
    head = f"  {'figure':22} {'level':>10} {'grown':>10} {'allowed':>10}"
    lines = [
        f"  {one.name:22} {one.level:10.2f} {one.grown:+10.2f} {one.allowed:10.2f}"
        f"{'' if one.is_flat else '  GROWS'}"
        for one in verdicts
    ]
    return "\n".join([head, *lines]) + "\n"
