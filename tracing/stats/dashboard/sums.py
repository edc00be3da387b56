"""Sums of `Metric` rows: over the bins of a period, and by model, server, tool, user and
assistant."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext

from tracing.models import Metric, Trace
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import SUMS, Counters, Key
from tracing.stats.aggregates.histogram import Histogram
from tracing.stats.dashboard.periods import Period

KIND = Metric.Kind
TURNS = Trace.Kind.TURN
# Charts and their lines, from the bottom of the stack.
CHARTS: dict[str, tuple[str, ...]] = {
    "turns": ("done", "failed", "stopped"),
    "rounds": ("rounds",),
    "calls": ("done", "failed"),
    "errors": ("turns", "generations", "calls"),
    "tokens": ("in", "out"),
    "cost": ("cost",),
}
# Charts of durations, and the percentiles that are their lines.
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
    """Counters of one subject, and its count in each hour, day or week (`trend`)."""

    counters: Counters = field(default_factory=Counters)
    trend: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Line") -> None:
        self.counters.add(other.counters)
        self.trend.update(other.trend)


def over_time(period: Period, now: datetime) -> dict[str, Lines]:
    """Figures of the charts by bin: `["turns"]["failed"][3]`. Latencies are milliseconds, None for
    a bin without turns."""
    begin = period.begin(now)
    charts: dict[str, Lines] = {
        name: {line: [0] * period.bins for line in lines} for name, lines in CHARTS.items()
    }
    spread: dict[str, list[Histogram]] = {
        name: [Counter() for _ in range(period.bins)] for name in LATENCIES
    }
    rows = Metric.objects.filter(period.chart_filter(now))
    turns = rows.filter(kind=KIND.TURN, group=TURNS)
    columns = turns.values_list("hour", "name", "count", "rounds", "first_tokens", "durations")
    for hour, end, count, rounds, first, whole in columns:
        place = period.place(hour, begin)
        if 0 <= place < period.bins and end in _ENDS:
            _put_turns(charts, place, _ENDS[Trace.Status(end)], count, rounds)
            histogram.merge(spread["first"][place], first)
            histogram.merge(spread["whole"][place], whole)
    for name, bins in spread.items():
        rows_of_shares = [histogram.percentiles(one, SHARES.values()) for one in bins]
        charts[name] = {share: [one[n] for one in rows_of_shares] for n, share in enumerate(SHARES)}
    for kind, row in ((KIND.GENERATION, _put_generations), (KIND.TOOL, _put_calls)):
        for sums in _summed(rows.filter(kind=kind)):
            place = period.place(sums["hour"], begin)
            if 0 <= place < period.bins:
                row(charts, place, sums)
    return charts


def _summed(rows: "QuerySet[Metric]") -> Any:
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
    """The sums of the period by subject; one query, or two with trends of other rows."""
    begin = period.begin(now)
    rows = Metric.objects.filter(period.table_filter(now)).order_by("hour")
    lines: defaultdict[Key, Line] = defaultdict(Line)
    with_trend = period.trend_rows == period.rows
    # Values instead of model instances: there may be thousands of rows.
    for hour, kind, group, name, *columns in rows.values_list(*_COLUMNS):
        line = lines[Key(kind, group, name)]
        _add(line.counters, columns)
        if with_trend:
            line.trend[period.trend_place(hour, begin)] += columns[0]
    if not with_trend:
        _add_trends(lines, period, now)
    return lines


def _add_trends(lines: dict[Key, Line], period: Period, now: datetime) -> None:
    begin = period.begin(now)
    rows = Metric.objects.filter(period.trend_filter(now))
    for hour, kind, group, name, count in rows.values_list(
        "hour", "kind", "group", "name", "count"
    ):
        line = lines.get(Key(kind, group, name))
        if line is not None:
            line.trend[period.trend_place(hour, begin)] += count


def all_time() -> dict[Key, Counters]:
    """The sums of all time, in one query. They never go down."""
    rows = Metric.objects.filter(period=Metric.Period.EVER).order_by("kind", "group", "name")
    counters: dict[Key, Counters] = {}
    for _, kind, group, name, *columns in rows.values_list(*_COLUMNS):
        _add(counters.setdefault(Key(kind, group, name), Counters()), columns)
    return counters


def servers(lines: dict[Key, Line]) -> dict[Key, Line]:
    """Sums of the tools by MCP server; local tools have no server."""
    by_server: defaultdict[Key, Line] = defaultdict(Line)
    for key, line in lines.items():
        if key.kind == KIND.TOOL and key.group:
            by_server[Key(KIND.TOOL, "", key.group)].add(line)
    return by_server


def of_users(lines: Mapping[Key, Line]) -> dict[Key, Line]:
    """The sums by username. A deleted user has the group `deleted user` and the id as name."""
    of_kind = {key: line for key, line in lines.items() if key.kind == KIND.USER}
    numbers = [int(key.name) for key in of_kind if key.name.isdigit()]
    users = get_user_model().objects.in_bulk(numbers)
    named: dict[Key, Line] = {}
    for key, line in of_kind.items():
        user = users.get(int(key.name)) if key.name.isdigit() else None
        deleted = Key(KIND.USER, gettext("deleted user"), key.name)
        named[Key(KIND.USER, "", user.get_username()) if user else deleted] = line
    return named


def turns(lines: dict[Key, Line]) -> Counters:
    """All turns of conversations, with any status."""
    total = Counters()
    for key, line in lines.items():
        if key.kind == KIND.TURN and key.group == TURNS:
            total.add(line.counters)
    return total


def _add(counters: Counters, columns: list[Any]) -> None:
    *sums, cost, slowest_ms, slowest, error, failed, durations, first_tokens = columns
    for name, figure in zip(SUMS, sums, strict=True):
        setattr(counters, name, getattr(counters, name) + figure)
    counters.cost += cost
    counters.keep_slowest(slowest_ms, slowest)
    if sums[1]:
        counters.keep_last_error(error, failed)
    histogram.merge(counters.durations, durations)
    histogram.merge(counters.first_tokens, first_tokens)
