"""A page of the list, found without counting or sorting everything.

Each condition first names a few thousand traces that fit it, by its own index. If one of them has
few, those are looked through, whatever else is wanted and in any order. If all have many, the list
is walked in its order until a page is full, which then is soon.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import FilteredRelation, Q, QuerySet

from tracing.listing.conditions import COLUMNS, Condition, HasFacet, conditions, ordered
from tracing.listing.wish import Wish
from tracing.models import Trace
from tracing.search.query import Term, parse

A_PAGE = 50
FEW = 2_000


@dataclass(frozen=True)
class Found:
    """Which traces fit; `count` is None where there are more than `FEW` or it is not known."""

    traces: QuerySet[Trace]
    count: int | None
    terms: list[Term]


@dataclass(frozen=True)
class Page:
    traces: list[Trace]
    count: int | None
    terms: list[Term]
    # Whether there is another page after the last of these.
    more: bool


def find(user: Any, wish: Wish) -> Found:
    """The traces that the user may see and that fit, in the wish's order, from its first on."""
    terms = parse(wish.query)
    if (wish.query and not terms) or not user.is_active:
        return Found(Trace.objects.none(), 0, terms)
    wanted = list(conditions(user, wish, terms))
    few, rest = _few(wanted)
    if few is not None:
        traces = ordered(_all_of(Trace.objects.filter(pk__in=few), rest), wish.sort)
        return Found(traces, traces.count(), terms)
    return Found(_walked(wanted, wish.sort), None, terms)


def page(user: Any, wish: Wish) -> Page:
    found = find(user, wish)
    traces = _after(user, found.traces, wish).select_related("owner")
    rows = list(traces[: A_PAGE + 1])
    count = found.count
    if count is None and wish.after is None and len(rows) <= A_PAGE:
        count = len(rows)
    return Page(rows[:A_PAGE], count, found.terms, len(rows) > A_PAGE)


def _few(wanted: list[Condition]) -> tuple[list[int] | None, list[Condition]]:
    """The traces of the condition with the fewest, if they are few, and the other conditions."""
    best: tuple[list[int] | None, list[Condition]] = (None, wanted)
    for condition in wanted:
        named = condition.first(FEW + 1)
        if len(named) <= FEW and (best[0] is None or len(named) < len(best[0])):
            best = named, [other for other in wanted if other is not condition]
        if best[0] is not None and len(best[0]) < FEW // 10:
            break
    return best


def _all_of(traces: QuerySet[Trace], wanted: Sequence[Condition]) -> QuerySet[Trace]:
    for condition in wanted:
        traces = traces.filter(condition.where)
    return traces


def _walked(wanted: list[Condition], sort: str) -> QuerySet[Trace]:
    """In the order of an index: the newest with a facet by the facet's own."""
    facet = next((one for one in wanted if isinstance(one, HasFacet)), None)
    if facet is None or sort != "newest":
        return ordered(_all_of(Trace.objects.all(), wanted), sort)
    rest = [one for one in wanted if one is not facet]
    by = FilteredRelation("facets", condition=Q(facets__name=facet.name, facets__value=facet.value))
    named = Trace.objects.annotate(by_facet=by).filter(by_facet__name=facet.name)
    return _all_of(named, rest).order_by("-by_facet__started", "-by_facet__trace_id")


def _after(user: Any, traces: QuerySet[Trace], wish: Wish) -> QuerySet[Trace]:
    """What comes after the last trace of the page before; all if that one is gone."""
    seen = Trace.objects.for_user(user).filter(public_id=wish.after) if wish.after else None
    last = seen.first() if seen is not None else None
    if last is None:
        return traces
    value = getattr(last, COLUMNS[wish.sort])
    if value is None:
        return traces
    column, key = (name.removeprefix("-") for name in traces.query.order_by)
    earlier = Q(**{f"{column}__lt": value}) | Q(**{f"{key}__lt": last.pk})
    return traces.filter(Q(**{f"{column}__lte": value}) & earlier)
