"""Conditions of the list, each with a query by its own index for the first matches."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from db.public_ids import parse_public_id
from db.users import AnyUser
from limits.traces import MAX_ID_TRACES
from tracing.list.trace_filter import ANY_KIND, PERIODS, TraceFilter
from tracing.models import Facet, Span, Trace
from tracing.permissions import may_view_traces
from tracing.search.matching import has_words, matching_ids, matching_ids_among
from tracing.search.query import Term


@dataclass(frozen=True)
class Condition:
    """A condition on traces: `where` filters them, `first` returns some matches."""

    where: Any

    def first(self, most: int) -> list[int]:
        """Primary keys of at most `most` matches, by an index."""
        raise NotImplementedError


@dataclass(frozen=True)
class Column(Condition):
    """A condition on columns; `order` is that of the index to use."""

    order: tuple[str, ...] = ("-started", "-id")

    def first(self, most: int) -> list[int]:
        rows = Trace.objects.filter(self.where).order_by(*self.order)
        return list(rows.values_list("pk", flat=True)[:most])


@dataclass(frozen=True)
class HasFacet(Condition):
    name: str = ""
    value: str = ""

    @property
    def rows(self) -> QuerySet[Facet]:
        return Facet.objects.filter(name=self.name, value=self.value)

    def first(self, most: int) -> list[int]:
        newest = self.rows.order_by("-started", "-trace_id")
        return list(newest.values_list("trace_id", flat=True)[:most])


@dataclass(frozen=True)
class HasWords(Condition):
    terms: tuple[Term, ...] = ()

    def first(self, most: int) -> list[int]:
        return matching_ids(self.terms, most)

    def among(self, ids: list[int]) -> list[int]:
        """Those of `ids` that match."""
        return matching_ids_among(self.terms, ids) if ids else []


@dataclass(frozen=True)
class Common(Condition):
    """A condition that most traces meet; never evaluated on its own."""


def conditions(user: AnyUser, trace_filter: TraceFilter, terms: list[Term]) -> Iterator[Condition]:
    """The conditions of the user's rights and of the filter. Subagents are listed only if words or
    a kind are asked for."""
    if terms:
        identifier = parse_public_id(trace_filter.query.strip().strip('"'))
        if identifier is None:
            yield HasWords(has_words(terms), tuple(terms))
        else:
            yield Column(Q(pk__in=_with_id(identifier, terms)), ("-pk",))
    for name, value in trace_filter.facets.items():
        facets = Facet.objects.filter(trace=OuterRef("pk"), name=name, value=value)
        yield HasFacet(Exists(facets), name, value)
    if not may_view_traces(user):
        yield Column(Q(owner_id=user.pk))
    yield Common(Q(is_listed=True))
    if not (terms or trace_filter.kind):
        yield Common(~Q(kind__in=[Trace.Kind.SUBAGENT, Trace.Kind.TITLE]))
    yield from _columns(trace_filter)


def _with_id(identifier: UUID, terms: list[Term]) -> list[int]:
    """Traces with this id, with a span or an archive of this id, or with the id in their searched
    text, as that of a conversation or a turn."""
    named = Q(public_id=identifier), Q(archive__public_id=identifier)
    conditions = [
        list(Trace.objects.filter(one).values_list("pk", flat=True)[:MAX_ID_TRACES])
        for one in named
    ]
    spans = Span.objects.filter(public_id=identifier).values_list("trace", flat=True)
    return list({*conditions[0], *conditions[1], *spans, *matching_ids(terms, MAX_ID_TRACES)})


def _columns(trace_filter: TraceFilter) -> Iterator[Condition]:
    if trace_filter.user:
        yield Column(Q(owner__username=trace_filter.user))
    if trace_filter.status:
        yield Column(Q(status=trace_filter.status))
    if trace_filter.kind and trace_filter.kind != ANY_KIND:
        yield Column(Q(kind=trace_filter.kind))
    if trace_filter.error:
        yield Column(Q(has_error=True))
    if trace_filter.retry:
        yield Column(Q(has_retry=True))
    started = _between("started", *_times(trace_filter))
    if started:
        yield Column(started)
    ended = _ended(trace_filter)
    if ended:
        yield Column(ended, ("-ended", "-id"))
    longer, shorter = (trace_filter.numbers.get(name) for name in ("longer", "shorter"))
    lengths = _between("duration_ms", _ms(longer), _ms(shorter))
    if lengths:
        yield Column(lengths, ("-duration_ms", "-id"))
    tokens = _between("tokens", trace_filter.numbers.get("more"), trace_filter.numbers.get("fewer"))
    if tokens:
        yield Column(tokens, ("-tokens", "-id"))


def _times(trace_filter: TraceFilter) -> tuple[datetime | None, datetime | None]:
    since = timezone.now() - PERIODS[trace_filter.since][1] if trace_filter.since else None
    starts = [moment for moment in (since, trace_filter.start) if moment]
    # The minute that a form gives is included.
    end = trace_filter.end + timedelta(minutes=1) if trace_filter.end else None
    return max(starts, default=None), end


def _ended(trace_filter: TraceFilter) -> Q:
    ended = Q(ended__gte=trace_filter.ended_from) if trace_filter.ended_from else Q()
    if trace_filter.ended_until:
        # No trace ends before it starts; lets the index on the start bound the scan.
        ended &= Q(ended__lt=trace_filter.ended_until, started__lt=trace_filter.ended_until)
    return ended


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def _between(column: str, least: Any, most: Any) -> Q:
    condition = Q()
    if least is not None:
        condition &= Q(**{f"{column}__gte": least})
    if most is not None:
        condition &= Q(**{f"{column}__lte": most})
    return condition
