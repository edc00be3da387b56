"""The conditions of a list, each with a look-up by its own index that says how many fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from tracing.listing.wish import ANY_KIND, PERIODS, Wish
from tracing.models import Facet, Trace
from tracing.search.matching import among, has_words, some
from tracing.search.query import Term


@dataclass(frozen=True)
class Condition:
    """What traces have to be: `where` filters them, `first` names some that fit."""

    where: Any

    def first(self, most: int) -> list[int]:
        """The primary keys of at most so many, by an index."""
        raise NotImplementedError


@dataclass(frozen=True)
class Column(Condition):
    """`order` is that of the index to use."""

    order: tuple[str, ...] = ("-started", "-id")

    def first(self, most: int) -> list[int]:
        rows = Trace.objects.filter(self.where).order_by(*self.order)
        return list(rows.values_list("pk", flat=True)[:most])


@dataclass(frozen=True)
class HasFacet(Condition):
    name: str = ""
    value: str = ""

    @property
    def newest(self) -> QuerySet[Facet]:
        rows = Facet.objects.filter(name=self.name, value=self.value)
        return rows.order_by("-started", "-trace_id")

    def first(self, most: int) -> list[int]:
        return list(self.newest.values_list("trace_id", flat=True)[:most])


@dataclass(frozen=True)
class HasWords(Condition):
    terms: tuple[Term, ...] = ()

    def first(self, most: int) -> list[int]:
        return some(self.terms, most)

    def among(self, ids: list[int]) -> list[int]:
        """Those of these that fit."""
        return among(self.terms, ids) if ids else []


@dataclass(frozen=True)
class Common(Condition):
    """What most traces are: nothing is looked through for it."""


def conditions(user: Any, wish: Wish, terms: list[Term]) -> Iterator[Condition]:
    """All that the user's rights and the wish say. Words are also found in what subagents did,
    which else is seen through the turns that began them."""
    if terms:
        yield HasWords(has_words(terms), tuple(terms))
    for name, value in wish.facets.items():
        facets = Facet.objects.filter(trace=OuterRef("pk"), name=name, value=value)
        yield HasFacet(Exists(facets), name, value)
    if not user.is_staff:
        yield Column(Q(owner_id=user.pk))
    if not (terms or wish.kind):
        yield Common(~Q(kind=Trace.Kind.SUBAGENT))
    yield from _columns(wish)


def _columns(wish: Wish) -> Iterator[Condition]:
    if wish.user:
        yield Column(Q(owner__username=wish.user))
    if wish.status:
        yield Column(Q(status=wish.status))
    if wish.kind and wish.kind != ANY_KIND:
        yield Column(Q(kind=wish.kind))
    if wish.error:
        yield Column(Q(has_error=True))
    if wish.retry:
        yield Column(Q(has_retry=True))
    started = _between("started", *_times(wish))
    if started:
        yield Column(started)
    longer, shorter = (wish.numbers.get(name) for name in ("longer", "shorter"))
    lengths = _between("duration_ms", _ms(longer), _ms(shorter))
    if lengths:
        yield Column(lengths, ("-duration_ms", "-id"))
    tokens = _between("tokens", wish.numbers.get("more"), wish.numbers.get("fewer"))
    if tokens:
        yield Column(tokens, ("-tokens", "-id"))


def _times(wish: Wish) -> tuple[datetime | None, datetime | None]:
    since = timezone.now() - PERIODS[wish.since][1] if wish.since else None
    starts = [moment for moment in (since, wish.start) if moment]
    # What is given to the minute includes that minute.
    end = wish.end + timedelta(minutes=1) if wish.end else None
    return max(starts, default=None), end


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def _between(column: str, least: Any, most: Any) -> Q:
    found = Q()
    if least is not None:
        found &= Q(**{f"{column}__gte": least})
    if most is not None:
        found &= Q(**{f"{column}__lte": most})
    return found


def ordered(traces: QuerySet[Trace], sort: str) -> QuerySet[Trace]:
    """Traces that have no figure yet are in no order by one."""
    column = COLUMNS[sort]
    if sort != "newest":
        traces = traces.filter(**{f"{column}__isnull": False})
    return traces.order_by(f"-{column}", "-id")


COLUMNS = {"newest": "started", "longest": "duration_ms", "tokens": "tokens", "cost": "cost"}
