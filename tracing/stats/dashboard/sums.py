"""Sums of `Measure` rows: over the bins of a period, and by model, server, tool, user and
assistant."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet, Sum

from tracing.models import Measure, Trace
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import SUMS, Key, Tally
from tracing.stats.aggregates.histogram import Histogram
from tracing.stats.dashboard.periods import Period

KIND = Measure.Kind
TURNS = Trace.Kind.TURN
# Each chart and its lines, as they are stacked.
CHARTS: dict[str, tuple[str, ...]] = {
    "turns": ("done", "failed", "stopped"),
    "rounds": ("rounds",),
    "calls": ("done", "failed"),
    "errors": ("turns", "generations", "calls"),
    "tokens": ("in", "out"),
    "cost": ("cost",),
}
# Charts of durations: the percentiles that they have, by the name of the line.
LATENCIES = ("first", "whole")
SHARES = {"p50": 0.5, "p95": 0.95}
_ENDS = {
    Trace.Status.SUCCEEDED: "done",
    Trace.Status.FAILED: "failed",
    Trace.Status.STOPPED: "stopped",
}
_COLUMNS = (
    "hour",
    "kind",
    "group",
    "name",
    *SUMS,
    "cost",
    "slowest_ms",
    "slowest",
    "last_error",
    "last_failed",
    "durations",
    "first_tokens",
)

Lines = dict[str, list[Any]]


@dataclass
class Line:
    """Of a model, a server, a tool, or turns: the sums, and the count in each hour, day or week."""

    tally: Tally = field(default_factory=Tally)
    trend: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Line") -> None:
        self.tally.add(other.tally)
        self.trend.update(other.trend)


def over_time(period: Period, now: datetime) -> dict[str, Lines]:
    """The figures of the charts by bin: `["turns"]["failed"][3]`. Two queries. Those of latencies
    are milliseconds, None where no turn ended."""
    begin = period.begin(now)
    charts: dict[str, Lines] = {
        name: {line: [0] * period.bins for line in lines} for name, lines in CHARTS.items()
    }
    spread: dict[str, list[Histogram]] = {
        name: [Counter() for _ in range(period.bins)] for name in LATENCIES
    }
    rows = Measure.objects.filter(period.chart_filter(now))
    turns = rows.filter(kind=KIND.TURN, group=TURNS)
    columns = turns.values_list("hour", "name", "count", "rounds", "first_tokens", "durations")
    for hour, end, count, rounds, first, whole in columns:
        place = period.place(hour, begin)
        if 0 <= place < period.bins and end in _ENDS:
            _put_turns(charts, place, _ENDS[Trace.Status(end)], count, rounds)
            histogram.merge(spread["first"][place], first)
            histogram.merge(spread["whole"][place], whole)
    for name, bins in spread.items():
        found = [histogram.percentiles(one, SHARES.values()) for one in bins]
        charts[name] = {share: [one[n] for one in found] for n, share in enumerate(SHARES)}
    for kind, row in ((KIND.GENERATION, _put_generations), (KIND.TOOL, _put_calls)):
        for sums in _summed(rows.filter(kind=kind)):
            place = period.place(sums["hour"], begin)
            if 0 <= place < period.bins:
                row(charts, place, sums)
    return charts


def _summed(rows: "QuerySet[Measure]") -> Any:
    names = ("count", "errors", "tokens_in", "tokens_out", "cost")
    return rows.values("hour").annotate(**{f"all_{name}": Sum(name) for name in names}).order_by()


def _put_turns(charts: dict[str, Lines], place: int, end: str, count: int, rounds: int) -> None:
    charts["turns"][end][place] += count
    charts["rounds"]["rounds"][place] += rounds
    if end == "failed":
        charts["errors"]["turns"][place] += count


def _put_generations(charts: dict[str, Lines], place: int, sums: dict[str, Any]) -> None:
    charts["errors"]["generations"][place] += sums["all_errors"]
    charts["tokens"]["in"][place] += sums["all_tokens_in"]
    charts["tokens"]["out"][place] += sums["all_tokens_out"]
    charts["cost"]["cost"][place] += sums["all_cost"]


def _put_calls(charts: dict[str, Lines], place: int, sums: dict[str, Any]) -> None:
    charts["calls"]["done"][place] += sums["all_count"] - sums["all_errors"]
    charts["calls"]["failed"][place] += sums["all_errors"]
    charts["errors"]["calls"][place] += sums["all_errors"]


def by_key(period: Period, now: datetime) -> dict[Key, Line]:
    """The sums of the period by what they are of, in one query or two."""
    begin = period.begin(now)
    rows = Measure.objects.filter(period.table_filter(now)).order_by("hour")
    lines: defaultdict[Key, Line] = defaultdict(Line)
    with_trend = period.trend_rows == period.rows
    # Without instances of models: there may be thousands of rows.
    for hour, kind, group, name, *columns in rows.values_list(*_COLUMNS):
        line = lines[Key(kind, group, name)]
        _add(line.tally, columns)
        if with_trend:
            line.trend[period.trend_place(hour, begin)] += columns[0]
    if not with_trend:
        _add_trends(lines, period, now)
    return lines


def _add_trends(lines: dict[Key, Line], period: Period, now: datetime) -> None:
    begin = period.begin(now)
    rows = Measure.objects.filter(period.trend_filter(now))
    for hour, kind, group, name, count in rows.values_list(
        "hour", "kind", "group", "name", "count"
    ):
        line = lines.get(Key(kind, group, name))
        if line is not None:
            line.trend[period.trend_place(hour, begin)] += count


def ever() -> dict[Key, Tally]:
    """The sums of all time, in one query. They never go down."""
    rows = Measure.objects.filter(period=Measure.Period.EVER).order_by("kind", "group", "name")
    tallies: dict[Key, Tally] = {}
    for _, kind, group, name, *columns in rows.values_list(*_COLUMNS):
        _add(tallies.setdefault(Key(kind, group, name), Tally()), columns)
    return tallies


def servers(lines: dict[Key, Line]) -> dict[Key, Line]:
    """The tools' sums by server; tools of our own have none."""
    found: defaultdict[Key, Line] = defaultdict(Line)
    for key, line in lines.items():
        if key.kind == KIND.TOOL and key.group:
            found[Key(KIND.TOOL, "", key.group)].add(line)
    return found


def of_users(lines: Mapping[Key, Line]) -> dict[Key, Line]:
    """The sums by user, the key with the username; the group has a name if the user is gone."""
    found = {key: line for key, line in lines.items() if key.kind == KIND.USER}
    numbers = [int(key.name) for key in found if key.name.isdigit()]
    users = get_user_model().objects.in_bulk(numbers)
    named: dict[Key, Line] = {}
    for key, line in found.items():
        user = users.get(int(key.name)) if key.name.isdigit() else None
        gone = Key(KIND.USER, "deleted user", key.name)
        named[Key(KIND.USER, "", user.get_username()) if user else gone] = line
    return named


def turns(lines: dict[Key, Line]) -> Tally:
    """All turns of conversations, whatever their end."""
    total = Tally()
    for key, line in lines.items():
        if key.kind == KIND.TURN and key.group == TURNS:
            total.add(line.tally)
    return total


def _add(tally: Tally, columns: list[Any]) -> None:
    *sums, cost, slowest_ms, slowest, error, failed, durations, first_tokens = columns
    for name, figure in zip(SUMS, sums, strict=True):
        setattr(tally, name, getattr(tally, name) + figure)
    tally.cost += cost
    tally.note_slowest(slowest_ms, slowest)
    if sums[1]:
        tally.note_error(error, failed)
    histogram.merge(tally.durations, durations)
    histogram.merge(tally.first_tokens, first_tokens)
