"""The trace list page: a user's own traces, or everybody's with the permission."""

from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from db.users import AnyUser
from languages.later import later
from limits.traces import (
    MAX_COUNTED_OUTDATED,
    MAX_INDEXED_STAGE,
    MAX_INDEXED_TRACE,
    MAX_RELAXED_FILTERS,
)
from tracing.list import filter_options
from tracing.list.orders import ORDERS, Order
from tracing.list.query import CANDIDATES, PAGE_SIZE, Page, find, page
from tracing.list.rows import rows
from tracing.list.trace_filter import FACETS, PERIODS, SORTS, Chip, TraceFilter, read
from tracing.models import Deletion, Trace
from tracing.permissions import may_view_traces
from tracing.search import reindexing


@dataclass(frozen=True)
class RelaxedFilter:
    """An active filter and the number of traces that match without it; `more`: there are more than
    `count`."""

    chip: Chip
    count: int
    more: bool


@dataclass(frozen=True)
class Select:
    name: str
    label: str
    chosen: str
    values: list[str]


@dataclass(frozen=True)
class Head:
    """A column heading: the address that sorts by it, and its `aria-sort` value."""

    href: str
    sorted: str


@never_cache
@login_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    requested = read(request.GET, zone_of(request))
    trace_filter, matches = _sorted(request.user, requested)
    context = {
        "filter": trace_filter,
        "unsorted": requested.sort if trace_filter is not requested else "",
        "page": matches,
        "rows": rows(matches),
        "chips": trace_filter.chips(),
        "candidates": CANDIDATES,
        "next": trace_filter.address(after=matches.traces[-1].public_id) if matches.more else "",
        "newest": trace_filter.address(sort="newest"),
        "relaxed_filters": _relaxed_filters(request.user, trace_filter, matches),
        "deletions": Deletion.objects.filter(user__in=[request.user.pk], ended=None),
        **_filters(request, trace_filter),
        **_searched(trace_filter),
    }
    return render(request, "tracing/list.html", context)


def _sorted(user: AnyUser, trace_filter: TraceFilter) -> tuple[TraceFilter, Page]:
    """The filter and its page; newest first instead if no match has figures to sort by."""
    matches = page(user, trace_filter)
    if matches.traces or trace_filter.after or trace_filter.sort == "newest":
        return trace_filter, matches
    newest = replace(trace_filter, sort="newest")
    other = page(user, newest)
    return (newest, other) if other.traces else (trace_filter, matches)


def _searched(trace_filter: TraceFilter) -> dict[str, Any]:
    """Template values about the search index."""
    outdated = len(reindexing.outdated(MAX_COUNTED_OUTDATED + 1)) if trace_filter.query else 0
    return {
        "most_searched": MAX_INDEXED_TRACE,
        "most_of_one_searched": MAX_INDEXED_STAGE,
        "outdated": min(outdated, MAX_COUNTED_OUTDATED),
        "outdated_more": outdated > MAX_COUNTED_OUTDATED,
    }


def zone_of(request: HttpRequest) -> tzinfo:
    """The reader's time zone, from the cookie set by the page's script."""
    try:
        return ZoneInfo(request.COOKIES["timezone"])
    except (KeyError, ValueError, OSError):
        return timezone.get_current_timezone()


FACET_LABELS = {
    "model": later("Model"),
    "tool": later("Tool"),
    "provider": later("Provider"),
    "dialect": later("Dialect"),
    "server": later("Server"),
    "assistant": later("Assistant"),
}


def _filters(request: HttpRequest, trace_filter: TraceFilter) -> dict[str, Any]:
    values = filter_options.facet_values(request.user)
    sees_all = may_view_traces(request.user)
    return {
        "facets": [
            Select(name, FACET_LABELS.get(name, name), chosen, _with(values[name], chosen))
            for name in FACETS
            for chosen in (trace_filter.facets.get(name, ""),)
        ],
        "statuses": Trace.Status.choices,
        "kinds": Trace.Kind.choices,
        "periods": [(name, words) for name, (words, _) in PERIODS.items()],
        "sorts": [(name, words, trace_filter.address(sort=name)) for name, words in SORTS.items()],
        "heads": {column: _head(trace_filter, column) for column in _SORTED},
        "sees_all": sees_all,
        "usernames": filter_options.usernames() if sees_all else [],
        "narrower": sum(chip.name not in _ALWAYS for chip in trace_filter.chips()),
    }


def _head(trace_filter: TraceFilter, column: str) -> Head:
    """The sorted column's heading reverses the order; any other sorts it descending."""
    here = ORDERS[trace_filter.sort]
    is_here = here.column == column
    order = Order(column, not (is_here and here.is_descending))
    name = next(name for name, other in ORDERS.items() if other == order)
    return Head(trace_filter.address(sort=name), here.direction if is_here else "")


_SORTED = ("rounds", "calls", "tokens", "cost", "duration_ms", "started")
# Filters that are always shown.
_ALWAYS = ("q", "status", "model", "tool", "since")


def _with(values: list[str], chosen: str) -> list[str]:
    """The options, with the chosen value added if it is missing."""
    return [chosen, *values] if chosen and chosen not in values else values


def _relaxed_filters(
    user: AnyUser, trace_filter: TraceFilter, matches: Page
) -> list[RelaxedFilter]:
    if matches.traces or trace_filter.after:
        return []
    filters = islice(trace_filter.without_each(), MAX_RELAXED_FILTERS)
    relaxed_filters = [_relaxed_filter(user, chip, other) for chip, other in filters]
    return [relaxed for relaxed in relaxed_filters if relaxed.count]


def _relaxed_filter(user: AnyUser, chip: Chip, trace_filter: TraceFilter) -> RelaxedFilter:
    matches = find(user, trace_filter)
    if matches.count is not None:
        return RelaxedFilter(chip, matches.count, more=False)
    count = len(matches.first(PAGE_SIZE + 1))
    return RelaxedFilter(chip, min(count, PAGE_SIZE), more=count > PAGE_SIZE)
