"""Where the dashboard's bars, rows and numbers lead: the list of traces, filtered accordingly.

A figure counts what ended in a stretch of time, and so does the list. Model calls, tool calls and
errors are more than one in a trace, so there may be fewer traces than a figure says.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from urllib.parse import urlencode

from django.urls import reverse

from tracing.models import Measure, Trace
from tracing.stats.aggregates.counters import Key

_KIND = Measure.Kind
_TURNS = {"kind": Trace.Kind.TURN.value}
_ALL = {"kind": "any"}
_FAILED = {**_ALL, "error": "1"}
# By chart and line; the whole chart is "".
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
# By column of a table: what narrows the list of its row, or orders it.
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
    """To what ended from `begin` on, before `end`."""

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
        """Of a row of a table, or of a figure in it; empty for what no filter knows."""
        query = _of_key(key)
        if query is None:
            return ""
        if key.kind in (_KIND.USER, _KIND.ASSISTANT) and column == "errors":
            return self.to({**query, **_TURNS, "status": "failed"})
        return self.to({**query, **(_OF_COLUMN.get(column, _LONGEST) if column else {})})


@dataclass(frozen=True)
class BinLinks:
    """To what ended in each bin of a chart. A page has a thousand of these."""

    ended: list[str]

    def to(self, name: str, line: str, number: int) -> str:
        return f"{_chart_list(name, line)}&{self.ended[number]}"


def _ended(begin: datetime, end: datetime) -> str:
    return f"ended_from={begin:%Y-%m-%dT%H:%MZ}&ended_until={end:%Y-%m-%dT%H:%MZ}"


@cache
def _chart_list(name: str, line: str) -> str:
    known = _OF_CHART[name]
    return f"{reverse('tracing:list')}?{urlencode(known.get(line, known['']))}"


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
