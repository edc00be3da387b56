"""The dashboard's page, as values for its templates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString

from tracing.dashboard import charts, sums, tables
from tracing.dashboard.live import Live, age, look
from tracing.dashboard.periods import PERIODS, USUAL, Period, chosen
from tracing.dashboard.sums import KIND, Line, Lines
from tracing.dashboard.tables import Table, thousands
from tracing.digest.tally import Key, Tally
from tracing.figures import duration
from tracing.models import Measure, Span
from tracing.places import address
from tracing.presence import Worker
from tracing.templatetags.trace_list import dollars

MOST_NAMED = 8
TITLES = {
    "turns": "Turns",
    "rounds": "Rounds",
    "calls": "Tool calls",
    "errors": "Errors",
    "tokens": "Tokens",
    "cost": "Cost",
}
# What the lines of a chart are called where more than one is in it.
LEGENDS = {
    "turns": {"done": "done", "failed": "failed", "stopped": "stopped"},
    "calls": {"done": "done", "failed": "failed"},
    "errors": {"turns": "turns", "generations": "generations", "calls": "tool calls"},
    "tokens": {"in": "in", "out": "out"},
}


@dataclass(frozen=True)
class Chart:
    """`legend`: line, word and total. `first` and `last` stand under its ends."""

    name: str
    title: str
    total: str
    legend: list[tuple[str, str, str]]
    drawing: SafeString
    first: str
    last: str
    is_empty: bool


@dataclass(frozen=True)
class Named:
    """A model or tool that failed or was slow, with what leads to it. No link: its trace is gone,
    or was deleted."""

    key: Key
    count: str
    errors: str
    share: str
    took: str
    error: str
    href: str


@dataclass(frozen=True)
class Page:
    """All of it. `is_new`: no turn has ever ended."""

    period: Period
    periods: list[tuple[Period, str, bool]]
    now: datetime
    live: Live
    workers: list[tuple[Worker, float]]
    charts: list[Chart]
    values: SafeString
    value_heads: list[str]
    latencies: list[tuple[str, list[str]]]
    tables: list[Table]
    failing: list[Named]
    slowest: list[Named]
    is_new: bool
    is_empty: bool


def page(query: Mapping[str, str], now: datetime) -> Page:
    """For the query of a URL: `period`, and `models`, `servers`, `tools` for the tables' order."""
    period = chosen(query.get("period", ""))
    lines = sums.by_key(period, now)
    over_time = sums.over_time(period, now)
    live = look()
    named = _named(lines)
    return Page(
        period=period,
        periods=[(one, _link(query, period=one.name), one == period) for one in PERIODS.values()],
        now=now,
        live=live,
        workers=[(worker, age(worker, now)) for worker in live.broker.workers],
        charts=[_chart(name, over_time[name], period, now) for name in TITLES],
        values=charts.rows(_values(over_time, period, now)),
        value_heads=_value_heads(over_time),
        latencies=_latencies(sums.turns(lines)),
        tables=list(_tables(lines, query, period)),
        failing=named["failing"],
        slowest=named["slowest"],
        is_new=not lines and not Measure.objects.exists(),
        is_empty=not lines,
    )


def _link(query: Mapping[str, str], **changes: str) -> str:
    """The query of this page with something changed; the usual is left out."""
    known = ("period", "models", "servers", "tools")
    kept = {name: query[name] for name in known if query.get(name)} | changes
    if kept.get("period") == USUAL.name:
        del kept["period"]
    return "?" + urlencode(kept)


def _chart(name: str, lines: Lines, period: Period, now: datetime) -> Chart:
    moments = [period.moment_label(moment) for moment in period.moments(now)]
    totals = {line: sum(figures) for line, figures in lines.items()}
    total, word = _worded(name, sum(totals.values())), LEGENDS.get(name, {})
    title = f"{TITLES[name]} in the last {period.label}: {total}"

    def said(line: str, figure: Any) -> str:
        return f"{_worded(name, figure)} {word.get(line, TITLES[name].lower())}"

    legend = [(line, word[line], _worded(name, totals[line])) for line in lines if line in word]
    drawing = charts.columns(lines, moments, said, title)
    first, last = moments[0], moments[-1]
    return Chart(name, TITLES[name], total, legend, drawing, first, last, not any(totals.values()))


def _worded(chart: str, figure: Any) -> str:
    if chart == "cost":
        return dollars(figure)
    return thousands(figure)


def _value_heads(over_time: Mapping[str, Lines]) -> list[str]:
    return [
        f"{TITLES[name]}, {LEGENDS[name][line]}" if name in LEGENDS else TITLES[name]
        for name, lines in over_time.items()
        for line in lines
    ]


def _values(
    over_time: Mapping[str, Lines], period: Period, now: datetime
) -> Iterable[tuple[str, list[str]]]:
    """The table behind the charts: a row for each bin, the latest first."""
    rows = list(enumerate(period.moments(now)))
    for place, moment in reversed(rows):
        figures = [
            _worded(name, line[place])
            for name, lines in over_time.items()
            for line in lines.values()
        ]
        yield period.moment_label(moment), figures


def _latencies(turns: Tally) -> list[tuple[str, list[str]]]:
    """Of turns: until the first token, and as a whole."""
    kinds = {
        "First token": tables.shares(turns.first_tokens),
        "Whole turn": tables.shares(turns.durations, turns.slowest_ms),
    }
    return [(name, [duration(ms) or "–" for ms in found]) for name, found in kinds.items()]


def _tables(lines: Mapping[Key, Line], query: Mapping[str, str], period: Period) -> Iterable[Table]:
    trend = period.trend_bins
    groups = {
        "models": {key: line for key, line in lines.items() if key.kind == KIND.GENERATION},
        "servers": sums.servers(dict(lines)),
        "tools": {key: line for key, line in lines.items() if key.kind == KIND.TOOL},
    }
    for name, found in groups.items():
        yield tables.table(
            name, found, query.get(name, ""), trend, lambda **changes: _link(query, **changes)
        )


def _named(lines: Mapping[Key, Line]) -> dict[str, list[Named]]:
    """One query for the spans of both lists."""
    failing = tables.failing(lines, MOST_NAMED)
    slowest = tables.slowest(lines, MOST_NAMED)
    spans = Span.objects.filter(pk__in=tables.spans_of([*failing, *slowest]))
    rows = spans.select_related("trace", "parent").defer("attributes")
    found: dict[int | None, Span] = {span.pk: span for span in rows}
    return {
        "failing": [_name(key, line, found.get(line.tally.last_failed)) for key, line in failing],
        "slowest": [_name(key, line, found.get(line.tally.slowest)) for key, line in slowest],
    }


def _name(key: Key, line: Line, span: Span | None) -> Named:
    tally = line.tally
    return Named(
        key=key,
        count=thousands(tally.count),
        errors=thousands(tally.errors),
        share=f"{tally.errors / tally.count:.0%}" if tally.count else "",
        took=duration(tally.slowest_ms),
        error=tally.last_error if span else "",
        href=address(span) if span else "",
    )
