"""The list of traces: everybody's own, and all by permission."""

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

from limits.traces import (
    MAX_COUNTED_OUTDATED,
    MAX_INDEXED_STAGE,
    MAX_INDEXED_TRACE,
    MAX_LOOSER_FILTERS,
)
from tracing.list import filter_options
from tracing.list.orders import ORDERS, Order
from tracing.list.query import A_PAGE, FEW, Page, find, page
from tracing.list.rows import rows
from tracing.list.trace_filter import FACETS, PERIODS, SORTS, Chip, Wish, read
from tracing.models import Deletion, Trace
from tracing.permissions import may_view_traces
from tracing.search import reindexing


@dataclass(frozen=True)
class Looser:
    """A filter, and how many traces fit without it; `more` if these are only the first."""

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
    """A column's heading: where a click on it leads, and how it is sorted now, for `aria-sort`."""

    href: str
    sorted: str


@never_cache
@login_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    asked = read(request.GET, zone_of(request))
    wish, found = _sorted(request.user, asked)
    context = {
        "wish": wish,
        "unsorted": asked.sort if wish is not asked else "",
        "page": found,
        "rows": rows(found),
        "chips": wish.chips(),
        "few": FEW,
        "next": wish.address(after=found.traces[-1].public_id) if found.more else "",
        "newest": wish.address(sort="newest"),
        "loosers": _loosers(request.user, wish, found),
        "deletions": Deletion.objects.filter(user__in=[request.user.pk], ended=None),
        **_filters(request, wish),
        **_searched(wish),
    }
    return render(request, "tracing/list.html", context)


def _sorted(user: Any, wish: Wish) -> tuple[Wish, Page]:
    """The page, newest first if what fits has no figures to be sorted by; and the wish for that."""
    found = page(user, wish)
    if found.traces or wish.after or wish.sort == "newest":
        return wish, found
    newest = replace(wish, sort="newest")
    other = page(user, newest)
    return (newest, other) if other.traces else (wish, found)


def _searched(wish: Wish) -> dict[str, Any]:
    """What the page says of the search."""
    waiting = len(reindexing.outdated(MAX_COUNTED_OUTDATED + 1)) if wish.query else 0
    return {
        "most_searched": MAX_INDEXED_TRACE,
        "most_of_one_searched": MAX_INDEXED_STAGE,
        "outdated": min(waiting, MAX_COUNTED_OUTDATED),
        "outdated_more": waiting > MAX_COUNTED_OUTDATED,
    }


def zone_of(request: HttpRequest) -> tzinfo:
    """The reader's time zone, from the cookie that the page's script sets."""
    try:
        return ZoneInfo(request.COOKIES["timezone"])
    except (KeyError, ValueError, OSError):
        return timezone.get_current_timezone()


def _filters(request: HttpRequest, wish: Wish) -> dict[str, Any]:
    values = filter_options.facet_values(request.user)
    sees_all = may_view_traces(request.user)
    return {
        "facets": [
            Select(name, name.capitalize(), chosen, _with(values[name], chosen))
            for name in FACETS
            for chosen in (wish.facets.get(name, ""),)
        ],
        "statuses": Trace.Status.choices,
        "kinds": Trace.Kind.choices,
        "periods": [(name, words) for name, (words, _) in PERIODS.items()],
        "sorts": [(name, words, wish.address(sort=name)) for name, words in SORTS.items()],
        "heads": {column: _head(wish, column) for column in _SORTED},
        "sees_all": sees_all,
        "usernames": filter_options.usernames() if sees_all else [],
        "narrower": sum(chip.name not in _ALWAYS for chip in wish.chips()),
    }


def _head(wish: Wish, column: str) -> Head:
    """The one that the list is sorted by turns the order round; any other has the highest first."""
    here = ORDERS[wish.sort]
    is_here = here.column == column
    wanted = Order(column, not (is_here and here.is_descending))
    name = next(name for name, order in ORDERS.items() if order == wanted)
    return Head(wish.address(sort=name), here.direction if is_here else "")


_SORTED = ("rounds", "calls", "tokens", "cost", "duration_ms", "started")
# Filters that are seen without opening the others.
_ALWAYS = ("q", "status", "model", "tool", "since")


def _with(values: list[str], chosen: str) -> list[str]:
    """What is chosen is offered too."""
    return [chosen, *values] if chosen and chosen not in values else values


def _loosers(user: Any, wish: Wish, found: Page) -> list[Looser]:
    if found.traces or wish.after:
        return []
    tried = islice(wish.without_each(), MAX_LOOSER_FILTERS)
    loosers = [_looser(user, chip, other) for chip, other in tried]
    return [looser for looser in loosers if looser.count]


def _looser(user: Any, chip: Chip, wish: Wish) -> Looser:
    found = find(user, wish)
    if found.count is not None:
        return Looser(chip, found.count, more=False)
    count = len(found.first(A_PAGE + 1))
    return Looser(chip, min(count, A_PAGE), more=count > A_PAGE)
