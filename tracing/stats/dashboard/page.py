"""The dashboard's page, as values for its templates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString

from tracing.formatting.figures import duration
from tracing.models import Measure, Span
from tracing.page.links import address
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import Key, Tally
from tracing.stats.dashboard import charts, sums, tables
from tracing.stats.dashboard.links import BinLinks, Links
from tracing.stats.dashboard.live import Live, age, look
from tracing.stats.dashboard.periods import PERIODS, Period, chosen
from tracing.stats.dashboard.sums import KIND, Line, Lines
from tracing.stats.dashboard.tables import Table, thousands
from tracing.stats.worker_presence import Worker
from tracing.templatetags.trace_list import dollars

SHOWN_NAMES = 8
TITLES = {
    "turns": "Turns",
    "rounds": "Rounds",
    "calls": "Tool calls",
    "errors": "Errors",
    "tokens": "Tokens",
    "cost": "Cost",
    "first": "Time to the first token",
    "whole": "Duration of turns",
}
# What the lines of a chart are called where more than one is in it.
LEGENDS = {
    "turns": {"done": "done", "failed": "failed", "stopped": "stopped"},
    "calls": {"done": "done", "failed": "failed"},
    "errors": {"turns": "turns", "generations": "generations", "calls": "tool calls"},
    "tokens": {"in": "in", "out": "out"},
    "first": {"p50": "p50", "p95": "p95"},
    "whole": {"p50": "p50", "p95": "p95"},
}


@dataclass(frozen=True)
class Chart:
    """`sentence` says what the drawing is of. `legend`: line, word, total, and where that leads.
    `first` and `last` stand under its ends. Percentiles have no total."""

    name: str
    title: str
    sentence: str
    total: str
    href: str
    legend: list[tuple[str, str, str, str]]
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
    list_href: str


@dataclass(frozen=True)
class Page:
    """All of it. `problem` is what is wrong with the range that was asked for. `is_new`: no turn
    has ever ended."""

    period: Period
    problem: str
    begin: datetime
    end: datetime
    orders: list[tuple[str, str]]
    periods: list[tuple[Period, str, bool]]
    now: datetime
    live: Live
    workers: list[tuple[Worker, float]]
    charts: list[Chart]
    values: SafeString
    value_heads: list[str]
    latencies: list[tuple[str, str, list[str]]]
    tables: list[Table]
    failing: list[Named]
    slowest: list[Named]
    is_new: bool
    is_empty: bool


def page(query: Mapping[str, str], now: datetime) -> Page:
    """For the query of a URL: `period`, or `from` and `until`, and the tables' orders by the names
    of the tables."""
    choice = chosen(query, now)
    period = choice.period
    links = Links(period.begin(now), period.end(now))
    bins = links.bins(period.width, period.bins)
    labels = [period.moment_label(moment) for moment in period.moments(now)]
    lines = sums.by_key(period, now)
    over_time = sums.over_time(period, now)
    live = look()
    named = _named(lines, links)
    turns = sums.turns(lines)
    orders = {name: query[name] for name in tables.COLUMNS if query.get(name)}
    return Page(
        period=period,
        problem=choice.problem,
        begin=links.begin,
        end=links.end,
        orders=list(orders.items()),
        periods=[(one, _query(orders | one.query), one == period) for one in PERIODS.values()],
        now=now,
        live=live,
        workers=[(worker, age(worker, now)) for worker in live.broker.workers],
        charts=[
            _chart(name, over_time[name], labels, period.during, turns, links, bins)
            for name in TITLES
        ],
        values=charts.rows(_values(over_time, labels, bins)),
        value_heads=_value_heads(over_time),
        latencies=_latencies(turns, links),
        tables=list(_tables(lines, orders, period, links)),
        failing=named["failing"],
        slowest=named["slowest"],
        is_new=not lines and not Measure.objects.exists(),
        is_empty=not lines,
    )


def _query(known: Mapping[str, str]) -> str:
    return "?" + urlencode(known)


def _chart(
    name: str,
    lines: Lines,
    labels: list[str],
    during: str,
    turns: Tally,
    links: Links,
    bins: BinLinks,
) -> Chart:
    totals = _totals(name, lines, turns)
    total = "" if name in sums.LATENCIES else _worded(name, sum(totals.values()))
    drawing = charts.columns(
        _stacked(lines) if name in sums.LATENCIES else lines,
        labels,
        lambda number: _sentence(name, {line: some[number] for line, some in lines.items()}),
        partial(bins.to, name),
    )
    word = LEGENDS.get(name, {})
    return Chart(
        name=name,
        title=TITLES[name],
        sentence=f"{TITLES[name]} {during}{f': {total}' if total else ''}",
        total=total,
        href=links.chart(name),
        legend=[
            (line, word[line], _worded(name, totals[line]), links.chart(name, line))
            for line in lines
            if line in word
        ],
        drawing=drawing,
        first=labels[0],
        last=labels[-1],
        is_empty=not any(totals.values()),
    )


def _totals(name: str, lines: Lines, turns: Tally) -> dict[str, Any]:
    """Of each line; of percentiles those of all turns."""
    if name not in sums.LATENCIES:
        return {line: sum(figures) for line, figures in lines.items()}
    counts = turns.first_tokens if name == "first" else turns.durations
    found = histogram.percentiles(counts, sums.SHARES.values())
    return dict(zip(sums.SHARES, found, strict=True))


def _stacked(lines: Lines) -> Lines:
    """Percentiles as parts of a column that is as high as the highest."""
    before = [0.0] * len(next(iter(lines.values())))
    stacked: Lines = {}
    for line, figures in lines.items():
        values = [figure or 0.0 for figure in figures]
        stacked[line] = [max(0.0, top - low) for top, low in zip(values, before, strict=True)]
        before = values
    return stacked


def _sentence(name: str, figures: Mapping[str, Any]) -> str:
    """The figures of one column in words."""
    word = LEGENDS.get(name, {})
    if name in sums.LATENCIES:
        known = [f"{line} {duration(ms)}" for line, ms in figures.items() if ms is not None]
        return ", ".join(known) or "no turn"
    parts = [
        f"{_worded(name, figure)} {word.get(line, TITLES[name].lower())}"
        for line, figure in figures.items()
        if figure
    ]
    return ", ".join(parts) or "nothing"


def _worded(chart: str, figure: Any) -> str:
    if chart in sums.LATENCIES:
        return duration(figure) or "–"
    return dollars(figure) if chart == "cost" else thousands(figure)


def _value_heads(over_time: Mapping[str, Lines]) -> list[str]:
    return [
        f"{TITLES[name]}, {LEGENDS[name][line]}" if name in LEGENDS else TITLES[name]
        for name, lines in over_time.items()
        for line in lines
    ]


def _values(
    over_time: Mapping[str, Lines], labels: list[str], bins: BinLinks
) -> Iterable[tuple[str, str, list[str]]]:
    """The table behind the charts: a row for each bin, the latest first. Its head leads to the
    list; a link at each figure would make the page three times as large."""
    for place, label in reversed(list(enumerate(labels))):
        figures = [
            _worded(name, some[place])
            for name, lines in over_time.items()
            for some in lines.values()
        ]
        yield label, bins.to("calls", "", place), figures


def _latencies(turns: Tally, links: Links) -> list[tuple[str, str, list[str]]]:
    """Of turns: until the first token, and as a whole."""
    kinds = {
        "first": ("First token", tables.shares(turns.first_tokens)),
        "whole": ("Whole turn", tables.shares(turns.durations, turns.slowest_ms)),
    }
    return [
        (name, links.chart(chart), [duration(ms) or "–" for ms in found])
        for chart, (name, found) in kinds.items()
    ]


def _tables(
    lines: Mapping[Key, Line], orders: Mapping[str, str], period: Period, links: Links
) -> Iterable[Table]:
    groups = {
        "models": {key: line for key, line in lines.items() if key.kind == KIND.GENERATION},
        "servers": sums.servers(dict(lines)),
        "tools": {key: line for key, line in lines.items() if key.kind == KIND.TOOL},
        "users": sums.of_users(lines),
        "assistants": {key: line for key, line in lines.items() if key.kind == KIND.ASSISTANT},
    }
    for name, found in groups.items():
        yield tables.table(
            name,
            found,
            orders.get(name, ""),
            period.trend_bins,
            lambda **changes: _query(dict(orders) | period.query | changes),
            links,
        )


def _named(lines: Mapping[Key, Line], links: Links) -> dict[str, list[Named]]:
    """One query for the spans of both lists."""
    failing = tables.failing(lines, SHOWN_NAMES)
    slowest = tables.slowest(lines, SHOWN_NAMES)
    spans = Span.objects.filter(pk__in=tables.spans_of([*failing, *slowest]))
    rows = spans.select_related("trace", "parent").defer("attributes")
    found: dict[int | None, Span] = {span.pk: span for span in rows}
    return {
        "failing": [
            _name(key, line, found.get(line.tally.last_failed), links.row(key, "errors"))
            for key, line in failing
        ],
        "slowest": [
            _name(key, line, found.get(line.tally.slowest), links.row(key, "slowest"))
            for key, line in slowest
        ],
    }


def _name(key: Key, line: Line, span: Span | None, list_href: str) -> Named:
    tally = line.tally
    return Named(
        key=key,
        count=thousands(tally.count),
        errors=thousands(tally.errors),
        share=f"{tally.errors / tally.count:.0%}" if tally.count else "",
        took=duration(tally.slowest_ms),
        error=tally.last_error if span else "",
        href=address(span) if span else "",
        list_href=list_href,
    )
