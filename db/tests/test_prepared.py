"""Prepared statements give what their querysets give, run after run."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from django.db.models import F
from django.utils import timezone

from db.prepared import Given, Select, Update, insert, insert_all
from tracing.models import Archive, Payload, Span, Trace

pytestmark = pytest.mark.django_db


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
    joined = Select(
        lambda: Trace.objects.select_related("archive__owner").filter(pk=Given("trace"))
    )
    for trace in traces:
        found = joined.get(trace=trace.pk)
        assert (found, found.attributes) == (trace, trace.attributes)
        assert found.archive.owner.username == "owner"


def test_values_come_as_the_fields_give_them(traces: list[Trace]) -> None:
    values = Select(
        lambda: Trace.objects.filter(public_id=Given("id")).values_list("started", "attributes")
    )
    for trace in traces:
        assert values.all(id=trace.public_id) == [(trace.started, trace.attributes)]
        assert values.all(id=str(trace.public_id)) == [(trace.started, trace.attributes)]
    assert values.all(id=uuid.uuid4()) == []


def test_the_first_is_none_where_there_is_none(traces: list[Trace]) -> None:
    latest = Select(lambda: Trace.objects.filter(name=Given("name")).order_by("-id")[:1])
    assert latest.first(name="two") == traces[1]
    assert latest.first(name="three") is None
    with pytest.raises(Trace.DoesNotExist):
        latest.get(name="three")


def test_times_are_compared(traces: list[Trace]) -> None:
    since = Select(lambda: Trace.objects.filter(started__gt=Given("when")))
    assert len(since.all(when=timezone.now() - timedelta(hours=1))) == 2
    assert since.all(when=timezone.now() + timedelta(hours=1)) == []


def test_a_row_that_changed_is_read_anew(traces: list[Trace]) -> None:
    by_id = Select(lambda: Trace.objects.filter(pk=Given("trace")))
    assert by_id.get(trace=traces[0].pk).name == "one"
    Trace.objects.filter(pk=traces[0].pk).update(name="other")
    assert by_id.get(trace=traces[0].pk).name == "other"


@pytest.mark.django_db(transaction=True)
def test_every_thread_reads_with_its_own_connection(traces: list[Trace]) -> None:
    by_id = Select(lambda: Trace.objects.filter(pk=Given("trace")))

    def read(trace: Trace) -> tuple[Trace, datetime]:
        try:
            found = by_id.get(trace=trace.pk)
            return found, found.started
        finally:
            connection.close()

    for _ in range(2):
        with ThreadPoolExecutor(2) as threads:
            found = list(threads.map(read, [*traces, *traces]))
        assert found == [(trace, trace.started) for trace in [*traces, *traces]]
    assert by_id.get(trace=traces[0].pk) == traces[0]


def test_several_values_are_given_each_by_itself(traces: list[Trace]) -> None:
    either = Select(
        lambda: Trace.objects.filter(
            public_id__in=[Given("one"), Given("two")], started__gt=Given("when")
        ).order_by("id")
    )
    first, second = (trace.public_id for trace in traces)
    since = timezone.now() - timedelta(hours=1)
    assert either.all(one=str(first), two=second, when=since) == traces
    assert either.all(one=first, two=first, when=since) == traces[:1]
    assert either.all(one=uuid.uuid4(), two=second, when=since) == traces[1:]


def test_an_update_stores_what_its_fields_store_and_counts(traces: list[Trace]) -> None:
    change = Update(
        lambda: Trace.objects.filter(pk=Given("trace"), status=Given("was")),
        attributes=Given("attributes"),
        ended=Given("ended"),
        name=Given("name"),
    )
    now = timezone.now()
    given = {"trace": traces[0].pk, "attributes": {"a": ["\0"]}, "ended": now, "name": "a\0b"}
    assert change.run(was="running", **given) == 1
    assert change.run(was="failed", **given) == 0
    found = Trace.objects.get(pk=traces[0].pk)
    assert (found.attributes, found.ended, found.name) == ({"a": ["\0"]}, now, "a\ufffdb")


def test_an_update_counts_on(traces: list[Trace]) -> None:
    archive = traces[0].archive
    count = Update(
        lambda: Archive.objects.filter(pk=Given("archive")), blobs=F("blobs") + Given("more")
    )
    for _ in range(3):
        count.run(archive=archive.pk, more=2)
    archive.refresh_from_db()
    assert archive.blobs == 6


def test_a_row_is_stored_as_save_stores_it(traces: list[Trace]) -> None:
    fields = {"kind": "tool", "name": "a\0", "attributes": {"x": "\ud800"}, "started": None}
    row = insert(Span(trace=traces[0], number=1, **fields))
    saved = Span.objects.create(trace=traces[0], number=2, **fields)
    own = ("id", "public_id", "created", "number")
    stored = list(Span.objects.order_by("id").values())
    assert [found["id"] for found in stored] == [row.pk, saved.pk]
    first, second = ({k: v for k, v in found.items() if k not in own} for found in stored)
    assert first == second


def test_a_stored_row_can_be_saved_again(traces: list[Trace]) -> None:
    row = insert(Span(trace=traces[0], kind="tool", name="one"))
    row.name = "two"
    row.save()
    assert [span.name for span in Span.objects.all()] == ["two"]


@pytest.mark.parametrize("count", [0, 1, 3, 70])
def test_many_rows_are_stored_in_their_order(traces: list[Trace], count: int) -> None:
    rows = [Span(trace=traces[0], kind="tool", name=f"{n}", number=n) for n in range(count)]
    insert_all(rows)
    stored = Span.objects.order_by("id").values_list("id", "name")
    assert list(stored) == [(row.pk, row.name) for row in rows]


def test_a_row_with_the_same_in_a_constraint_is_replaced(traces: list[Trace]) -> None:
    span = insert(Span(trace=traces[0], kind="tool", name="one"))

    def row(stage: str, size: int) -> Payload:
        return Payload(span=span, stage=stage, sha256=b"", size=size, manifest=b"\0")

    insert_all([row("input", 1), row("output", 2)], unique=("span", "stage"))
    later = [row("output", 3), row("request", 4)]
    insert_all(later, unique=("span", "stage"))
    stored = list(Payload.objects.order_by("id").values_list("stage", "size"))
    assert stored == [("input", 1), ("output", 3), ("request", 4)]
    assert [one.size for one in Payload.objects.filter(pk__in=[row.pk for row in later])] == [3, 4]
    with pytest.raises(IntegrityError):
        insert_all([row("input", 5)])


def test_constraints_hold(traces: list[Trace]) -> None:
    with pytest.raises(IntegrityError):
        insert(Span(trace=traces[0], kind="none such", name="x"))
