"""Which index SQLite uses for spans: it has no statistics, and takes a kind for rare."""

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from db.literals import Literal
from tracing.models import Span

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has statistics"),
]
SPANS = Span.objects.all()


def plan(spans: "QuerySet[Span]") -> str:
    return str(spans.explain())


@pytest.mark.parametrize("traces", [[1], [1, 2, 3]])
def test_spans_of_some_traces_are_found_by_their_trace(traces: list[int]) -> None:
    kinds = [Span.Kind.GENERATION, Span.Kind.TOOL]
    assert "(trace_id=?)" in plan(SPANS.filter(trace__in=traces, kind__in=kinds).order_by("id"))
    assert "(trace_id=?)" in plan(SPANS.filter(trace__in=traces, kind=Span.Kind.TOOL))


def test_calls_with_an_owner_are_found_without_reading_the_others() -> None:
    leased = Span.objects.owned_calls().filter(lease_expires__gt=timezone.now())
    assert "INDEX span_open_calls (lease_expires>?)" in plan(leased)
    assert "INDEX span_open_calls" in plan(Span.objects.owned_calls().filter(owner=""))


def test_the_admin_finds_the_newest_spans_of_a_kind() -> None:
    listed = SPANS.filter(kind__gt=Literal("")).order_by("-id")
    assert "INDEX span_kind_newest (kind=?)" in plan(listed.filter(kind=Span.Kind.MCP))
