"""A page of the trace list, selected without counting or sorting all traces.

Each condition first lists up to `CANDIDATES` matching traces by its own index. The shortest
complete list is filtered by the other conditions and sorted. If every condition matches more, the
traces are walked in the list's order until a page is full.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from django.db.models import Exists, OuterRef, Q, QuerySet

from limits.traces import MAX_SORTED_TRACES
from tracing.list.conditions import Common, Condition, HasFacet, HasWords, conditions
from tracing.list.orders import ORDERS, Order
from tracing.list.trace_filter import TraceFilter
from tracing.models import Trace
from tracing.search.matching import has_words
from tracing.search.query import Term, parse

# Traces a page.
PAGE_SIZE = 50
# A condition that names at most this many traces is looked through whole.
CANDIDATES = 2_000
# So many traces are looked through first where many have the words.
WINDOW = 10_000


class First(Protocol):
    def __call__(self, most: int, after: Trace | None = None) -> list[int]:
        """The primary keys of the first so many that fit, in order, after this one."""


@dataclass(frozen=True)
class Found:
    """Which traces fit. `count` is None where it is not known, which is so only of many."""

    first: First
    count: int | None
    terms: list[Term]


@dataclass(frozen=True)
class Page:
    traces: list[Trace]
    count: int | None
    terms: list[Term]
    # Whether there is another page after the last of these.
    more: bool


def find(user: Any, trace_filter: TraceFilter) -> Found:
    """The traces that the user may see and that fit, in the filter's order."""
    terms = parse(trace_filter.query)
    if (trace_filter.query and not terms) or not user.is_active:
        return Found(partial(_after, [], ORDERS["newest"]), 0, terms)
    wanted, order = list(conditions(user, trace_filter, terms)), ORDERS[trace_filter.sort]
    few, rest = _few(wanted)
    if few is not None:
        if words := _words(rest):
            few, rest = words.among(few), _without(rest, words)
        traces = order.sort(_all_of(Trace.objects.filter(pk__in=few), rest))
        rows = list(traces.values_list(order.column, "pk"))
        return Found(partial(_after, rows, order), len(rows), terms)
    if not order.is_by_time:
        return Found(partial(_walk_figures, wanted, order), None, terms)
    walk = _walk_newest if order.is_descending else partial(_walk_index, order=order)
    return Found(partial(walk, wanted), None, terms)


def page(user: Any, trace_filter: TraceFilter) -> Page:
    matches = find(user, trace_filter)
    visible = Trace.objects.for_user(user)
    after = visible.filter(public_id=trace_filter.after).first() if trace_filter.after else None
    ids = matches.first(PAGE_SIZE + 1, after)
    rows = Trace.objects.select_related("owner").in_bulk(ids[:PAGE_SIZE])
    more = len(ids) > PAGE_SIZE
    count = (
        len(ids) if matches.count is None and not (trace_filter.after or more) else matches.count
    )
    return Page([rows[pk] for pk in ids[:PAGE_SIZE] if pk in rows], count, matches.terms, more)


def _few(wanted: list[Condition]) -> tuple[list[int] | None, list[Condition]]:
    """The traces of the condition with the fewest, if they are few, and the other conditions."""
    best: tuple[list[int] | None, list[Condition]] = (None, wanted)
    for condition in wanted:
        if isinstance(condition, Common):
            continue
        named = condition.first(CANDIDATES + 1)
        if len(named) <= CANDIDATES and (best[0] is None or len(named) < len(best[0])):
            best = named, _without(wanted, condition)
        if best[0] is not None and len(best[0]) < CANDIDATES // 10:
            break
    return best


def _after(
    rows: Sequence[tuple[Any, int]], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """Of rows that are known."""
    return order.keys_behind(rows, after)[:most]


def _walk(
    wanted: Sequence[Condition], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """In the order of an index of the list."""
    traces = order.sort(_all_of(Trace.objects.all(), wanted))
    return list(order.behind(traces, after).values_list("pk", flat=True)[:most])


def _walk_figures(
    wanted: Sequence[Condition], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """With a facet first through the first figures alone. What has the facet may have late ones,
    or none at all, as a model without prices has no costs: then all that has it is sorted."""
    facet = next((one for one in wanted if isinstance(one, HasFacet)), None)
    if facet is None:
        return _walk(wanted, order, most, after)
    first = order.behind(order.sort(Trace.objects.all()), after).values("pk")[:MAX_SORTED_TRACES]
    ids = _walk([Condition(Q(pk__in=first)), *wanted], order, most, after)
    if len(ids) == most:
        return ids
    having = Trace.objects.filter(pk__in=facet.rows.order_by().values("trace_id"))
    rows = order.behind(_all_of(having, _without(wanted, facet)), after)
    return list(order.sort_all(rows).values_list("pk", flat=True)[:most])


def _walk_newest(wanted: Sequence[Condition], most: int, after: Trace | None = None) -> list[int]:
    """With words first through the latest traces alone: traces get their keys as they start."""
    words = _words(wanted)
    newest = after or Trace.objects.order_by("-pk").first()
    if words is None or newest is None or newest.pk <= WINDOW:
        return _walk_index(wanted, most, after)
    latest = replace(words, where=has_words(words.terms, newest.pk - WINDOW))
    ids = _walk_index([latest, *_without(wanted, words)], most, after)
    return ids if len(ids) == most else _walk_index(wanted, most, after)


def _walk_index(
    wanted: Sequence[Condition],
    most: int,
    after: Trace | None = None,
    order: Order = ORDERS["newest"],
) -> list[int]:
    """By time: with a facet by the facet's own index, else by the list's."""
    facet = next((one for one in wanted if isinstance(one, HasFacet)), None)
    if facet is None:
        return _walk(wanted, order, most, after)
    rows: QuerySet[Any] = facet.rows.order_by(*order.names(key="trace_id"))
    rest = _without(wanted, facet)
    if rest:
        traces = Trace.objects.filter(pk=OuterRef("trace_id"))
        rows = rows.filter(Exists(_all_of(traces, rest)))
    behind = order.behind(rows, after, key="trace_id")
    return list(behind.values_list("trace_id", flat=True)[:most])


def _words(wanted: Iterable[Condition]) -> HasWords | None:
    return next((one for one in wanted if isinstance(one, HasWords)), None)


def _without(wanted: Iterable[Condition], one: Condition) -> list[Condition]:
    return [other for other in wanted if other is not one]


def _all_of(traces: QuerySet[Trace], wanted: Iterable[Condition]) -> QuerySet[Trace]:
    for condition in wanted:
        traces = traces.filter(condition.where)
    return traces
