"""The tables of the dashboard: models, servers, tools, users, assistants; sorted by any column."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from languages.later import later
from tracing.formatting.figures import duration
from tracing.models import Metric
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.counters import Key
from tracing.stats.dashboard import charts
from tracing.stats.dashboard.links import Links
from tracing.stats.dashboard.sums import Line
from tracing.templatetags.trace_list import dollars

SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
SHOWN_ROWS = 50


@dataclass(frozen=True)
class Column:
    """A column; `name` is its name in the URL. Figures are sorted in descending order first."""

    name: str
    label: str
    text_of: Callable[[Any], str] = str
    group: str = ""
    is_level: bool = False


@dataclass(frozen=True)
class Cell:
    text: str
    level: SafeString | None = None
    is_bad: bool = False
    href: str = ""


@dataclass(frozen=True)
class Row:
    """A model (with its provider), a server, a tool (with its server), a user or an assistant."""

    key: Key
    line: Line
    cells: list[Cell]
    trend: SafeString
    slowest: str
    href: str
    slowest_href: str


@dataclass(frozen=True)
class Head:
    """The heading of a column, its link, and the present order for `aria-sort`."""

    column: Column
    href: str
    sorted: str


@dataclass(frozen=True)
class Table:
    name: str
    title: str
    noun: str
    heads: list[Head]
    rows: list[Row]
    total: int
    groups: list[tuple[str, int]]

    @property
    def left_out(self) -> int:
        return self.total - len(self.rows)


def thousands(number: int) -> str:
    return f"{number:,}"


COUNT = Column("count", later("Count"), thousands, is_level=True)
TURNS = Column("count", later("Turns"), thousands, is_level=True)
FAILED = Column("errors", later("Failed"), thousands)
ERRORS = Column("errors", later("Errors"), thousands)
RETRIES = Column("retries", later("Retries"), thousands)
FIRST = tuple(Column(f"first-{name}", name, duration, later("First token")) for name in SHARES)
WHOLE = tuple(
    Column(name, name, duration, later("Duration"), is_level=name == "p95") for name in SHARES
)
SPENT = (
    Column("in", later("Tokens in"), thousands),
    Column("out", later("Tokens out"), thousands),
    Column("cost", later("Cost"), dollars),
)
COLUMNS: dict[str, tuple[Column, ...]] = {
    "models": (COUNT, ERRORS, RETRIES, *FIRST, *WHOLE, *SPENT),
    "servers": (COUNT, ERRORS, *WHOLE),
    "tools": (COUNT, ERRORS, *WHOLE),
    "users": (TURNS, FAILED, *WHOLE, *SPENT),
    "assistants": (TURNS, FAILED, *WHOLE, *SPENT),
}
TITLES = {
    "models": (later("Models"), later("Model")),
    "servers": (later("MCP servers"), later("Server")),
    "tools": (later("Tools"), later("Tool")),
    "users": (later("Users"), later("User")),
    "assistants": (later("Assistants"), later("Assistant")),
}


def table(
    name: str,
    lines: Mapping[Key, Line],
    sort: str,
    bins: int,
    link: Callable[..., str],
    links: Links,
) -> Table:
    """The table of this name. `sort` is the name of a column, after a "-" for descending order; by
    count for any other value. `link` makes a query of this page, `links` those of the list."""
    columns = COLUMNS[name]
    ordered = sort if sort.removeprefix("-") in {"name", *(c.name for c in columns)} else "-count"
    figures = {key: _figures(line) for key, line in lines.items()}
    keys = _ordered(figures, ordered)
    largest = {
        column.name: max((float(f[column.name] or 0) for f in figures.values()), default=0.0)
        for column in columns
        if column.is_level
    }
    rows = [
        _row(_filter_of(name, key), key, lines[key], columns, figures[key], largest, bins, links)
        for key in keys[:SHOWN_ROWS]
    ]
    title, noun = TITLES[name]
    heads = [_head(name, column, ordered, link) for column in (Column("name", noun), *columns)]
    return Table(name, title, noun, heads, rows, len(keys), _groups(columns))


def _filter_of(table: str, key: Key) -> Key:
    """The key for the link to the list; the row of a server stands for all of its tools."""
    return Key(key.kind, key.name, "") if table == "servers" else key


def _row(
    filter_key: Key,
    key: Key,
    line: Line,
    columns: Sequence[Column],
    figures: Mapping[str, Any],
    largest: Mapping[str, float],
    bins: int,
    links: Links,
) -> Row:
    return Row(
        key,
        line,
        [_cell(column, figures, largest, links.row(filter_key, column.name)) for column in columns],
        _trend(key, line, bins),
        duration(line.counters.slowest_ms),
        links.row(filter_key),
        links.row(filter_key, "slowest"),
    )


def _figures(line: Line) -> dict[str, Any]:
    counters = line.counters
    return {
        "count": counters.count,
        "errors": counters.errors,
        "retries": counters.retries,
        "in": counters.tokens_in,
        "out": counters.tokens_out,
        "cost": counters.cost,
        **_shares("", counters.durations, counters.slowest_ms),
        **_shares("first-", counters.first_tokens),
    }


def _shares(
    prefix: str, counts: histogram.Histogram, max_ms: float = math.inf
) -> dict[str, float | None]:
    values = shares(counts, max_ms)
    return {f"{prefix}{name}": ms for name, ms in zip(SHARES, values, strict=True)}


def shares(counts: histogram.Histogram, max_ms: float = math.inf) -> list[float | None]:
    """Percentiles in milliseconds, none above the longest duration, `max_ms`."""
    values = histogram.percentiles(counts, SHARES.values())
    return [None if ms is None else min(ms, max_ms) for ms in values]


def _ordered(figures: Mapping[Key, Mapping[str, Any]], sort: str) -> list[Key]:
    """Rows with equal figures by name; rows without the figure last."""
    column, down = sort.removeprefix("-"), sort.startswith("-")
    keys = sorted(figures, key=lambda key: (key.name.casefold(), key.group))
    if column == "name":
        return keys[::-1] if down else keys
    with_figure = [key for key in keys if figures[key][column] is not None]
    without_figure = [key for key in keys if figures[key][column] is None]
    sign = -1 if down else 1
    return [*sorted(with_figure, key=lambda key: sign * figures[key][column]), *without_figure]


def _cell(
    column: Column, figures: Mapping[str, Any], largest: Mapping[str, float], href: str
) -> Cell:
    figure = figures[column.name]
    text = "–" if figure is None else column.text_of(figure)
    top = largest.get(column.name)
    level = charts.bar(float(figure or 0) / top) if top else None
    is_bad = column.name == "errors" and bool(figure)
    return Cell(text, level, is_bad, href if figure else "")


def _head(table: str, column: Column, ordered: str, link: Callable[..., str]) -> Head:
    """A click on the column that the table is sorted by reverses the order."""
    first = column.name if column.name == "name" else f"-{column.name}"
    other = first.removeprefix("-") if first.startswith("-") else f"-{first}"
    here = ordered.removeprefix("-") == column.name
    direction = ("descending" if ordered.startswith("-") else "ascending") if here else ""
    return Head(column, link(**{table: other if ordered == first else first}), direction)


def _groups(columns: Iterable[Column]) -> list[tuple[str, int]]:
    """The upper row of headings, each with the number of columns below it."""
    groups: list[tuple[str, int]] = [("", 1)]
    for column in columns:
        name, span = groups[-1]
        if column.group == name:
            groups[-1] = (name, span + 1)
        else:
            groups.append((column.group, 1))
    return [*groups, ("", 2)]


def _trend(key: Key, line: Line, bins: int) -> SafeString:
    values = [line.trend[number] for number in range(bins)]
    return charts.spark(
        values,
        gettext("%(name)s over time, at most %(most)s")
        % {"name": key.name, "most": f"{max(values, default=0):,}"},
    )


def failing(lines: Mapping[Key, Line], max_rows: int) -> list[tuple[Key, Line]]:
    """Models and tools with errors, most errors first."""
    work = [(key, line) for key, line in lines.items() if _is_work(key) and line.counters.errors]
    return sorted(work, key=lambda pair: (-pair[1].counters.errors, pair[0]))[:max_rows]


def slowest(lines: Mapping[Key, Line], max_rows: int) -> list[tuple[Key, Line]]:
    """Models and tools by the duration of their slowest call."""
    work = [(key, line) for key, line in lines.items() if _is_work(key)]
    slow = [(key, line) for key, line in work if line.counters.slowest_ms]
    return sorted(slow, key=lambda pair: (-pair[1].counters.slowest_ms, pair[0]))[:max_rows]


def _is_work(key: Key) -> bool:
    return key.kind in (Metric.Kind.GENERATION, Metric.Kind.TOOL)


def spans_of(rows: Iterable[tuple[Key, Line]]) -> Sequence[int]:
    """Primary keys of the spans that the rows link to."""
    pairs = [(line.counters.slowest, line.counters.last_failed) for _, line in rows]
    return sorted({pk for pair in pairs for pk in pair if pk is not None})
