"""Prepared statements give what their querysets give, run after run."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from django.db.models import F, QuerySet
from django.utils import timezone

from db import prepared
from db.prepared import Change
from tracing.models import Archive, Payload, Span, Trace, TraceQuerySet

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@prepared.first
def _latest(rows: "QuerySet[Trace]", name: str) -> "QuerySet[Trace]":
    return rows.filter(name=name).order_by("-id")[:1]


@prepared.one
def _only(rows: TraceQuerySet, trace: int) -> TraceQuerySet:
    return rows.filter(pk=trace)


@pytest.fixture
def traces() -> list[Trace]:
    archive = Archive.objects.create(owner=User.objects.create_user("owner"))
    return [
        Trace.objects.create(
            archive=archive, owner=archive.owner, name=name, attributes={"n": name}
        )
        for name in ("one", "two")
    ]


def test_rows_come_with_what_is_joined_to_them(traces: list[Trace]) -> None:
    @prepared.one
    def with_owner(rows: TraceQuerySet, trace: int) -> TraceQuerySet:
        return rows.select_related("archive__owner").filter(pk=trace)

    for trace in traces:
        row = with_owner(Trace.objects.all(), trace.pk)
        assert (row, row.attributes) == (trace, trace.attributes)
        assert row.archive.owner.username == "owner"


def test_values_come_as_the_fields_give_them(traces: list[Trace]) -> None:
    @prepared.rows
    def values(rows: TraceQuerySet, id: uuid.UUID | str) -> "QuerySet[Trace, Any]":
        return rows.filter(public_id=id).values_list("started", "attributes")

    for trace in traces:
        expected = [(trace.started, trace.attributes)]
        assert values(Trace.objects.all(), trace.public_id) == expected
        assert values(Trace.objects.all(), str(trace.public_id)) == expected
    assert values(Trace.objects.all(), uuid.uuid4()) == []


def test_the_first_is_none_where_there_is_none(traces: list[Trace]) -> None:
    assert _latest(Trace.objects.all(), "two") == traces[1]
    assert _latest(Trace.objects.all(), "three") is None
    assert _only(Trace.objects.all(), traces[0].pk) == traces[0]
    with pytest.raises(Trace.DoesNotExist):
        _only(Trace.objects.all(), 0)


def test_times_are_compared(traces: list[Trace]) -> None:
    @prepared.rows
    def since(rows: TraceQuerySet, when: datetime) -> TraceQuerySet:
        return rows.filter(started__gt=when)

    assert len(since(Trace.objects.all(), timezone.now() - timedelta(hours=1))) == 2
    assert since(Trace.objects.all(), timezone.now() + timedelta(hours=1)) == []


def test_a_row_that_changed_is_read_anew(traces: list[Trace]) -> None:
    assert _only(Trace.objects.all(), traces[0].pk).name == "one"
    Trace.objects.filter(pk=traces[0].pk).update(name="other")
    assert _only(Trace.objects.all(), traces[0].pk).name == "other"


def test_a_relation_or_a_filter_has_no_place_in_a_statement(traces: list[Trace]) -> None:
    for narrowed in (Trace.objects.filter(name="one"), traces[0].archive.traces.all()):
        with pytest.raises(TypeError, match="call it on the model's manager"):
            _latest(narrowed, "two")


@pytest.mark.django_db(transaction=True)
def test_every_thread_reads_with_its_own_connection(traces: list[Trace]) -> None:
    def read(trace: Trace) -> tuple[Trace, datetime]:
        try:
            row = _only(Trace.objects.all(), trace.pk)
            return row, row.started
        finally:
            connection.close()

    for _ in range(2):
        with ThreadPoolExecutor(2) as threads:
            rows = list(threads.map(read, [*traces, *traces]))
        assert rows == [(trace, trace.started) for trace in [*traces, *traces]]
    assert _only(Trace.objects.all(), traces[0].pk) == traces[0]


def test_several_values_are_an_argument_each(traces: list[Trace]) -> None:
    @prepared.rows
    def some(rows: TraceQuerySet, /, when: datetime, **ids: uuid.UUID | str) -> TraceQuerySet:
        named = rows.filter(public_id__in=list(ids.values()), started__gt=when)
        return named.order_by("id")

    rows = Trace.objects.all()
    first, second = (trace.public_id for trace in traces)
    since = timezone.now() - timedelta(hours=1)
    assert some(rows, since, one=str(first), two=second) == traces
    assert some(rows, since, one=first, two=first) == traces[:1]
    assert some(rows, since, one=uuid.uuid4(), two=second) == traces[1:]
    assert some(rows, since, one=second) == traces[1:]


def test_an_update_stores_what_its_fields_store_and_counts(traces: list[Trace]) -> None:
    @prepared.update
    def change(rows: TraceQuerySet, /, trace: int, was: str, **columns: Any) -> Change:
        return Change(rows.filter(pk=trace, status=was), **columns)

    now = timezone.now()
    columns = {"attributes": {"a": ["\0"]}, "ended": now, "name": "a\0b"}
    assert change(Trace.objects.all(), traces[0].pk, "running", **columns) == 1
    assert change(Trace.objects.all(), traces[0].pk, "failed", **columns) == 0
    row = Trace.objects.get(pk=traces[0].pk)
    assert (row.attributes, row.ended, row.name) == ({"a": ["\0"]}, now, "a\ufffdb")


def test_an_update_counts_on(traces: list[Trace]) -> None:
    @prepared.update
    def count(rows: "QuerySet[Archive]", archive: int, more: int) -> Change:
        return Change(rows.filter(pk=archive), blobs=F("blobs") + more)

    archive = traces[0].archive
    for _ in range(3):
        count(Archive.objects.all(), archive.pk, 2)
    archive.refresh_from_db()
    assert archive.blobs == 6


def test_a_row_is_stored_as_save_stores_it(traces: list[Trace]) -> None:
    fields = {"kind": "tool", "name": "a\0", "attributes": {"x": "\ud800"}, "started": None}
    row = Span.objects.insert(trace=traces[0], number=1, **fields)
    saved = Span.objects.create(trace=traces[0], number=2, **fields)
    own = ("id", "public_id", "created", "number")
    stored = list(Span.objects.order_by("id").values())
    assert [found["id"] for found in stored] == [row.pk, saved.pk]
    first, second = ({k: v for k, v in found.items() if k not in own} for found in stored)
    assert first == second


def test_a_stored_row_can_be_saved_again(traces: list[Trace]) -> None:
    row = Span.objects.insert(trace=traces[0], kind="tool", name="one")
    row.name = "two"
    row.save()
    assert [span.name for span in Span.objects.all()] == ["two"]


@pytest.mark.parametrize("count", [0, 1, 3, 70])
def test_many_rows_are_stored_in_their_order(traces: list[Trace], count: int) -> None:
    rows = [Span(trace=traces[0], kind="tool", name=f"{n}", number=n) for n in range(count)]
    Span.objects.insert_all(rows)
    stored = Span.objects.order_by("id").values_list("id", "name")
    assert list(stored) == [(row.pk, row.name) for row in rows]


def test_a_row_with_the_same_in_a_constraint_is_replaced(traces: list[Trace]) -> None:
    span = Span.objects.insert(trace=traces[0], kind="tool", name="one")

    def row(stage: str, size: int) -> Payload:
        return Payload(span=span, stage=stage, sha256=b"", size=size, manifest=b"\0")

    Payload.objects.insert_all([row("input", 1), row("output", 2)], unique=("span", "stage"))
    later = [row("output", 3), row("request", 4)]
    Payload.objects.insert_all(later, unique=("span", "stage"))
    stored = list(Payload.objects.order_by("id").values_list("stage", "size"))
    assert stored == [("input", 1), ("output", 3), ("request", 4)]
    assert [one.size for one in Payload.objects.filter(pk__in=[row.pk for row in later])] == [3, 4]
    with pytest.raises(IntegrityError):
        Payload.objects.insert_all([row("input", 5)])


def test_constraints_hold(traces: list[Trace]) -> None:
    with pytest.raises(IntegrityError):
        Span.objects.insert(trace=traces[0], kind="none such", name="x")


@prepared.shared
def _shared(rows: TraceQuerySet, owner: int) -> TraceQuerySet:
    return rows.filter(owner=owner).order_by("id")


def test_a_shared_row_is_the_same_object_until_it_changes(traces: list[Trace]) -> None:
    owner = traces[0].owner_id
    before = _shared(Trace.objects.all(), owner)
    assert before == traces and before[0].attributes == {"n": "one"}
    Trace.objects.filter(pk=traces[1].pk).update(attributes={"n": 2})
    after = _shared(Trace.objects.all(), owner)
    assert after[0] is before[0]
    assert after[1] is not before[1] and after[1].attributes == {"n": 2}
    traces[0].delete()
    assert _shared(Trace.objects.all(), owner) == traces[1:]


def test_more_rows_than_are_kept_are_made_each_time(
    traces: list[Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "MAX_SHARED_ROWS", 1)
    for _ in range(2):
        assert _shared(Trace.objects.all(), traces[0].owner_id) == traces
    assert _shared(Trace.objects.all(), -1) == []
