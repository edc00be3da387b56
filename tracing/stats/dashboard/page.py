"""The dashboard page, as values for its templates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from languages.later import later
from limits.trace_pages import MAX_OFFENDERS
from tracing.formatting.figures import duration
from tracing.models import Metric, Span
from tracing.page.links import address
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import Counters, Key
from tracing.stats.dashboard import charts, sums, tables
from tracing.stats.dashboard.links import BinLinks, Links
from tracing.stats.dashboard.live import Live, age, read_live
from tracing.stats.dashboard.periods import PERIODS, Period, read_period
from tracing.stats.dashboard.sums import KIND, Line, Lines
from tracing.stats.dashboard.tables import Table, thousands
from tracing.stats.worker_presence import Worker
from tracing.templatetags.trace_list import dollars

TITLES = {
    "turns": later("Turns"),
    "rounds": later("Rounds"),
    "calls": later("Tool calls"),
    "errors": later("Errors"),
    "tokens": later("Tokens"),
    "cost": later("Cost"),
    "first": later("Time to the first token"),
    "whole": later("Duration of turns"),
}
# Labels of the lines of charts with more than one.
LEGENDS = {
    "turns": {"done": later("done"), "failed": later("failed"), "stopped": later("stopped")},
    "calls": {"done": later("done"), "failed": later("failed")},
    "errors": {
        "turns": later("turns"),
        "generations": later("generations"),
        "calls": later("tool calls"),
    },
    "tokens": {"in": later("in"), "out": later("out")},
    "first": {"p50": "p50", "p95": "p95"},
    "whole": {"p50": "p50", "p95": "p95"},
}


@dataclass(frozen=True)
class Chart:
    """`sentence` describes the drawing. `legend`: line, label, total, link. `first` and `last`:
    labels of the first and the last bin. Percentiles have no total."""

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
class Offender:
    """A model or tool with errors or slow calls, and links to its traces. `href` and `error` are
    empty if the trace is deleted."""

    key: Key
    count: str
    errors: str
    share: str
    slowest: str
    error: str
    href: str
    list_href: str


@dataclass(frozen=True)
class Page:
    """The whole page. `problem` says what is wrong with the requested range. `is_new`: no trace has
    ended yet."""

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
    failing: list[Offender]
    slowest: list[Offender]
    is_new: bool
    is_empty: bool


def page(query: Mapping[str, str], now: datetime) -> Page:
    """The page for a query: `period`, or `from` and `until`, and the order of each table by its
    name."""
    choice = read_period(query, now)
    period = choice.period
    links = Links(period.begin(now), period.end(now))
    bins = links.bins(period.width, period.bins)
    labels = [period.moment_label(moment) for moment in period.moments(now)]
    lines = sums.by_key(period, now)
    over_time = sums.over_time(period, now)
    live = read_live()
    offenders = _offenders(lines, links)
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
        failing=offenders["failing"],
        slowest=offenders["slowest"],
        is_new=not lines and not Metric.objects.exists(),
        is_empty=not lines,
    )


def _query(parameters: Mapping[str, str]) -> str:
    return "?" + urlencode(parameters)


def _chart(
    name: str,
    lines: Lines,
    labels: list[str],
    during: str,
    turns: Counters,
    links: Links,
    bins: BinLinks,
) -> Chart:
    totals = _totals(name, lines, turns)
    total = "" if name in sums.LATENCIES else _figure_text(name, sum(totals.values()))
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
            (line, word[line], _figure_text(name, totals[line]), links.chart(name, line))
            for line in lines
            if line in word
        ],
        drawing=drawing,
        first=labels[0],
        last=labels[-1],
        is_empty=not any(totals.values()),
    )


def _totals(name: str, lines: Lines, turns: Counters) -> dict[str, Any]:
    """The total of each line; percentiles are those of all turns."""
    if name not in sums.LATENCIES:
        return {line: sum(figures) for line, figures in lines.items()}
    counts = turns.first_tokens if name == "first" else turns.durations
    values = histogram.percentiles(counts, sums.SHARES.values())
    return dict(zip(sums.SHARES, values, strict=True))


def _stacked(lines: Lines) -> Lines:
    """Percentiles as segments of one column, each from the previous percentile to its own."""
    before = [0.0] * len(next(iter(lines.values())))
    stacked: Lines = {}
    for line, figures in lines.items():
        values = [figure or 0.0 for figure in figures]
        stacked[line] = [max(0.0, top - low) for top, low in zip(values, before, strict=True)]
        before = values
    return stacked


def _sentence(name: str, figures: Mapping[str, Any]) -> str:
    """The figures of one column as text."""
    word = LEGENDS.get(name, {})
    if name in sums.LATENCIES:
        texts = [f"{line} {duration(ms)}" for line, ms in figures.items() if ms is not None]
        return ", ".join(texts) or gettext("no turn")
    parts = [
        f"{_figure_text(name, figure)} {word.get(line, TITLES[name].lower())}"
        for line, figure in figures.items()
        if figure
    ]
    return ", ".join(parts) or "nothing"


def _figure_text(chart: str, figure: Any) -> str:
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
    """The table of the charts' values: a row for each bin, the latest first. Only the row's heading
    links to the list; a link in each cell would make the page three times as large."""
    for place, label in reversed(list(enumerate(labels))):
        figures = [
            _figure_text(name, some[place])
            for name, lines in over_time.items()
            for some in lines.values()
        ]
        yield label, bins.to("calls", "", place), figures


def _latencies(turns: Counters, links: Links) -> list[tuple[str, str, list[str]]]:
    """Percentiles of turns: time to the first token, and duration."""
    kinds = {
        "first": (gettext("First token"), tables.shares(turns.first_tokens)),
        "whole": (gettext("Whole turn"), tables.shares(turns.durations, turns.slowest_ms)),
    }
    return [
        (name, links.chart(chart), [duration(ms) or "–" for ms in values])
        for chart, (name, values) in kinds.items()
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
    for name, rows in groups.items():
        yield tables.table(
            name,
            rows,
            orders.get(name, ""),
            period.trend_bins,
            lambda **changes: _query(dict(orders) | period.query | changes),
            links,
        )


def _offenders(lines: Mapping[Key, Line], links: Links) -> dict[str, list[Offender]]:
    """The lists `failing` and `slowest`; one query for the spans of both."""
    failing = tables.failing(lines, MAX_OFFENDERS)
    slowest = tables.slowest(lines, MAX_OFFENDERS)
    spans = Span.objects.filter(pk__in=tables.spans_of([*failing, *slowest]))
    rows = spans.select_related("trace", "parent").defer("attributes")
    by_pk: dict[int | None, Span] = {span.pk: span for span in rows}
    return {
        "failing": [
            _offender(key, line, by_pk.get(line.counters.last_failed), links.row(key, "errors"))
            for key, line in failing
        ],
        "slowest": [
            _offender(key, line, by_pk.get(line.counters.slowest), links.row(key, "slowest"))
            for key, line in slowest
        ],
    }


def _offender(key: Key, line: Line, span: Span | None, list_href: str) -> Offender:
    counters = line.counters
    return Offender(
        key=key,
        count=thousands(counters.count),
        errors=thousands(counters.errors),
        share=f"{counters.errors / counters.count:.0%}" if counters.count else "",
        slowest=duration(counters.slowest_ms),
        error=counters.last_error if span else "",
        href=address(span) if span else "",
        list_href=list_href,
    )
