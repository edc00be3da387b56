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

from db.arguments import padded
from db.users import AnyUser
from limits.traces import MAX_SORTED_TRACES
from tracing.list.conditions import Common, Condition, HasFacet, HasWords, conditions
from tracing.list.orders import ORDERS, Order
from tracing.list.trace_filter import TraceFilter
from tracing.models import Trace
from tracing.search.matching import has_words
from tracing.search.query import Term, parse

# Traces a page.
PAGE_SIZE = 50
# A condition that matches at most this many traces is evaluated completely.
CANDIDATES = 2_000
# Numbers of latest traces that are searched one after the other if many match the words.
WINDOWS = (1_000, 10_000)
# Traces of an order by a figure that are searched first.
FIRST = 1_000


class FirstKeys(Protocol):
    def __call__(self, most: int, after: Trace | None = None) -> list[int]:
        """Primary keys of the first `most` matches after this trace, in the list's order."""


@dataclass(frozen=True)
class Matches:
    """The traces that match. `count` is None if it is unknown, which happens for many only."""

    first: FirstKeys
    count: int | None
    terms: list[Term]


@dataclass(frozen=True)
class Page:
    traces: list[Trace]
    count: int | None
    terms: list[Term]
    # Whether there is another page after the last of these.
    more: bool


def find(user: AnyUser, trace_filter: TraceFilter) -> Matches:
    """The traces that the user may see and that match, in the filter's order."""
    terms = parse(trace_filter.query)
    if (trace_filter.query and not terms) or not user.is_active:
        return Matches(partial(_after, [], ORDERS["newest"]), 0, terms)
    required, order = list(conditions(user, trace_filter, terms)), ORDERS[trace_filter.sort]
    few, rest = _few(required)
    if few is not None:
        if words := _words(rest):
            few, rest = words.among(few), _without(rest, words)
        traces = order.sort(_all_of(Trace.objects.filter(pk__in=few), rest))
        rows = list(traces.values_list(order.column, "pk"))
        return Matches(partial(_after, rows, order), len(rows), terms)
    if not order.is_by_time:
        return Matches(partial(_walk_figures, required, order), None, terms)
    walk = _walk_newest if order.is_descending else partial(_walk_index, order=order)
    return Matches(partial(walk, required), None, terms)


def page(user: AnyUser, trace_filter: TraceFilter) -> Page:
    matches = find(user, trace_filter)
    visible = Trace.objects.for_user(user)
    after = visible.filter(public_id=trace_filter.after).first() if trace_filter.after else None
    ids = matches.first(PAGE_SIZE + 1, after)
    traces = Trace.objects.listed(**padded(ids[:PAGE_SIZE])) if ids else []
    rows = {trace.pk: trace for trace in traces}
    more = len(ids) > PAGE_SIZE
    count = (
        len(ids) if matches.count is None and not (trace_filter.after or more) else matches.count
    )
    return Page([rows[pk] for pk in ids[:PAGE_SIZE] if pk in rows], count, matches.terms, more)


def _few(required: list[Condition]) -> tuple[list[int] | None, list[Condition]]:
    """The traces of the condition with the fewest matches, if they are few, and the other
    conditions."""
    best: tuple[list[int] | None, list[Condition]] = (None, required)
    for condition in required:
        if isinstance(condition, Common):
            continue
        keys = condition.first(CANDIDATES + 1)
        if len(keys) <= CANDIDATES and (best[0] is None or len(keys) < len(best[0])):
            best = keys, _without(required, condition)
        if best[0] is not None and len(best[0]) < CANDIDATES // 10:
            break
    return best


def _after(
    rows: Sequence[tuple[Any, int]], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """From rows that are loaded already."""
    return order.keys_after(rows, after)[:most]


def _walk(
    required: Sequence[Condition], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """By an index with the list's order."""
    traces = order.sort(_all_of(Trace.objects.all(), required))
    return list(order.after_trace(traces, after).values_list("pk", flat=True)[:most])


def _walk_figures(
    required: Sequence[Condition], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """With a facet: first among the first MAX_SORTED_TRACES of the order; if these do not fill the
    page, by sorting all traces with the facet."""
    facet = next((one for one in required if isinstance(one, HasFacet)), None)
    if facet is None:
        return _walk_searched(required, order, most, after)
    first = order.after_trace(order.sort(Trace.objects.all()), after).values("pk")[
        :MAX_SORTED_TRACES
    ]
    ids = _walk([Condition(Q(pk__in=first)), *required], order, most, after)
    if len(ids) == most:
        return ids
    having = Trace.objects.filter(pk__in=facet.rows.order_by().values("trace_id"))
    rows = order.after_trace(_all_of(having, _without(required, facet)), after)
    return list(order.sort_all(rows).values_list("pk", flat=True)[:most])


def _walk_searched(
    required: Sequence[Condition], order: Order, most: int, after: Trace | None = None
) -> list[int]:
    """With words: first among the FIRST traces of the order that meet the other conditions."""
    words = _words(required)
    if words is not None:
        first = _walk(_without(required, words), order, FIRST, after)
        matching = set(words.among(first))
        ids = [pk for pk in first if pk in matching]
        if len(ids) >= most:
            return ids[:most]
    return _walk(required, order, most, after)


def _walk_newest(required: Sequence[Condition], most: int, after: Trace | None = None) -> list[int]:
    """With words: first among the latest WINDOWS traces, whose keys are the largest; with a facet
    too only among the most of these, since the rows of the facet are read each time."""
    words = _words(required)
    newest = (after.pk if after else Trace.objects.newest_pk()) if words else None
    has_facet = any(isinstance(one, HasFacet) for one in required)
    for window in WINDOWS[-1:] if has_facet else WINDOWS:
        if words is not None and newest is not None and newest > window:
            latest = replace(words, where=has_words(words.terms, newest - window))
            ids = _walk_index([latest, *_without(required, words)], most, after)
            if len(ids) == most:
                return ids
    return _walk_index(required, most, after)


def _walk_index(
    required: Sequence[Condition],
    most: int,
    after: Trace | None = None,
    order: Order = ORDERS["newest"],
) -> list[int]:
    """By time: by the index of the facet, if there is one, else by that of the list."""
    facet = next((one for one in required if isinstance(one, HasFacet)), None)
    if facet is None:
        return _walk(required, order, most, after)
    rows: QuerySet[Any] = facet.rows.order_by(*order.names(key="trace_id"))
    rest = _without(required, facet)
    if rest:
        traces = Trace.objects.filter(pk=OuterRef("trace_id"))
        rows = rows.filter(Exists(_all_of(traces, rest)))
    rows_after = order.after_trace(rows, after, key="trace_id")
    return list(rows_after.values_list("trace_id", flat=True)[:most])


def _words(required: Iterable[Condition]) -> HasWords | None:
    return next((one for one in required if isinstance(one, HasWords)), None)


def _without(required: Iterable[Condition], one: Condition) -> list[Condition]:
    return [other for other in required if other is not one]


def _all_of(traces: QuerySet[Trace], required: Iterable[Condition]) -> QuerySet[Trace]:
    for condition in required:
        traces = traces.filter(condition.where)
    return traces
