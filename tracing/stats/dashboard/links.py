"""Links from the dashboard's charts, rows and figures to the filtered list of traces.

Figures and list select by the time of the end. A trace may have several model calls, tool calls and
errors, so the list may have fewer traces than the figure says.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from urllib.parse import urlencode

from django.urls import reverse

from tracing.models import Metric, Trace
from tracing.stats.aggregates.counters import Key

_KIND = Metric.Kind
_TURNS = {"kind": Trace.Kind.TURN.value}
_ALL = {"kind": "any"}
_FAILED = {**_ALL, "error": "1"}
# Filters by chart and line; "" is the whole chart.
_OF_CHART: dict[str, dict[str, dict[str, str]]] = {
    "turns": {
        "": _TURNS,
        "done": {**_TURNS, "status": "succeeded"},
        "failed": {**_TURNS, "status": "failed"},
        "stopped": {**_TURNS, "status": "stopped"},
    },
    "rounds": {"": {**_TURNS, "sort": "rounds"}},
    "calls": {"": {**_ALL, "sort": "calls"}, "failed": _FAILED},
    "errors": {"": _FAILED, "turns": {**_TURNS, "status": "failed"}},
    "tokens": {"": {**_ALL, "sort": "tokens"}},
    "cost": {"": {**_ALL, "sort": "cost"}},
    "first": {"": {**_TURNS, "sort": "longest"}},
    "whole": {"": {**_TURNS, "sort": "longest"}},
}
# Filter or order that a column of a table adds to that of its row.
_OF_COLUMN = {
    "errors": {"error": "1"},
    "retries": {"retry": "1"},
    "in": {"sort": "tokens"},
    "out": {"sort": "tokens"},
    "cost": {"sort": "cost"},
    "count": {},
}
_LONGEST = {"sort": "longest"}


@dataclass(frozen=True)
class Links:
    """Links to the traces that ended from `begin` to `end` (exclusive)."""

    begin: datetime
    end: datetime

    def to(self, query: dict[str, str]) -> str:
        return f"{reverse('tracing:list')}?{urlencode(query)}&{_ended(self.begin, self.end)}"

    def chart(self, name: str, line: str = "") -> str:
        return f"{_chart_list(name, line)}&{_ended(self.begin, self.end)}"

    def bins(self, width: timedelta, count: int) -> "BinLinks":
        starts = [self.begin + number * width for number in range(count)]
        return BinLinks([_ended(start, min(start + width, self.end)) for start in starts])

    def row(self, key: Key, column: str = "") -> str:
        """The link of a row of a table, or of a figure in it; empty if no filter selects it."""
        query = _of_key(key)
        if query is None:
            return ""
        if key.kind in (_KIND.USER, _KIND.ASSISTANT) and column == "errors":
            return self.to({**query, **_TURNS, "status": "failed"})
        return self.to({**query, **(_OF_COLUMN.get(column, _LONGEST) if column else {})})


@dataclass(frozen=True)
class BinLinks:
    """Links to the traces that ended in each bin of a chart; a page has about a thousand."""

    ended: list[str]

    def to(self, name: str, line: str, number: int) -> str:
        return f"{_chart_list(name, line)}&{self.ended[number]}"


def _ended(begin: datetime, end: datetime) -> str:
    return f"ended_from={begin:%Y-%m-%dT%H:%MZ}&ended_until={end:%Y-%m-%dT%H:%MZ}"


@cache
def _chart_list(name: str, line: str) -> str:
    filters = _OF_CHART[name]
    return f"{reverse('tracing:list')}?{urlencode(filters.get(line, filters['']))}"


def _of_key(key: Key) -> dict[str, str] | None:
    match key.kind:
        case _KIND.GENERATION:
            named = {"model": key.name, "provider": key.group, **_ALL}
        case _KIND.TOOL:
            named = {"tool": key.name, "server": key.group, **_ALL}
        case _KIND.USER if not key.group:
            named = {"user": key.name, **_TURNS}
        case _KIND.ASSISTANT if key.name:
            named = {"assistant": key.name, **_TURNS}
        case _:
            return None
    return {name: value for name, value in named.items() if value}
