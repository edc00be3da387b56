from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from tracing.errors import PayloadCorrupt
from tracing.models import Archive, Blob, Payload, Span, Trace
from tracing.store import payloads
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = pytest.mark.postgres

TOOL = {"type": "function", "function": {"name": "read_query", "description": "Runs a SELECT."}}


def messages(count: int) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": f"Question {number}, 第{number}问"} for number in range(count)
    ]


def a_request(count: int) -> bytes:
    return wire({"model": "m", "messages": messages(count), "tools": [TOOL]})


class AnyBytes(TestCase):
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.binary(max_size=300) | st.integers(0, 8).map(a_request), max_size=4))
    def test_any_bytes_come_back_exactly(self, bodies: list[bytes]) -> None:
        archive = an_archive()
        span = a_span(archive)
        stages = [stage for stage, _ in zip(Payload.Stage.values, bodies, strict=False)]
        records: list[payloads.Record] = [
            (span, stage, body, {}) for stage, body in zip(stages, bodies, strict=True)
        ]
        stored = payloads.store_all(archive, records)
        again = Payload.objects.filter(pk__in=[payload.pk for payload in stored]).order_by("pk")
        assert payloads.load_all(list(again)) == bodies


@pytest.mark.django_db
def test_a_stage_keeps_what_is_noted_beside_its_bytes() -> None:
    span = a_span(an_archive())
    payloads.store(
        span,
        "response",
        b"data: [DONE]\n\n",
        chunks=[(1.5, 6), (20.125, 8)],
        attributes={"status": 200, "headers": [["a", "b"]]},
        redacted=True,
        sha256_sent=b"\1" * 32,
    )
    payload = Payload.objects.get()
    assert payloads.read_chunks(payload) == [(1.5, 6), (20.125, 8)]
    assert payload.attributes == {"status": 200, "headers": [["a", "b"]]}
    assert (payload.redacted, bytes(payload.sha256_sent or b"")) == (True, b"\1" * 32)


@pytest.mark.django_db
def test_storing_a_stage_again_replaces_it() -> None:
    span = a_span(an_archive())
    payloads.store(span, "response", b"The first attempt. " * 9, chunks=[(1.0, 19)])
    payloads.store(span, "response", b"The second one. " * 9)
    payload = Payload.objects.get()
    assert payloads.load(payload) == b"The second one. " * 9
    assert payloads.read_chunks(payload) == []


@pytest.mark.django_db
def test_a_stored_payload_can_be_loaded_at_once() -> None:
    payload = payloads.store(a_span(an_archive()), "input", a_request(3))
    assert payload.pk
    assert payloads.read_json(payload)["messages"] == messages(3)


@pytest.mark.django_db
def test_the_same_message_is_kept_once_and_has_one_ordinal() -> None:
    archive = an_archive()
    first = payloads.store(a_span(archive), "input", a_request(3))
    second = payloads.store(a_span(archive), "request", a_request(4))
    ordinals = payloads.read_manifest(second).section("messages")
    assert ordinals[:3] == payloads.read_manifest(first).section("messages")
    assert archive.blob_set.count() == 4 + 1


@pytest.mark.django_db
def test_ordinals_are_given_out_without_gaps() -> None:
    archive = an_archive()
    for count in (2, 5, 5, 9):
        payloads.store(a_span(archive), "input", a_request(count))
    archive.refresh_from_db()
    ordinals = archive.blob_set.order_by("ordinal").values_list("ordinal", flat=True)
    assert list(ordinals) == list(range(archive.blobs))


@pytest.mark.django_db
def test_two_archives_share_nothing() -> None:
    mine, other = an_archive(), an_archive()
    for archive in (mine, other):
        payloads.store(a_span(archive), "input", a_request(3))
    other.delete()
    assert payloads.load(Payload.objects.get()) == a_request(3)
    assert mine.blob_set.count() == Blob.objects.count()


@pytest.mark.django_db
def test_deleting_an_archive_leaves_no_row() -> None:
    archive = an_archive()
    payloads.store(a_span(archive), "input", a_request(3))
    archive.delete()
    left = {model: model._base_manager.count() for model in (Archive, Trace, Span, Payload, Blob)}
    assert set(left.values()) == {0}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rows", "column", "value"),
    [
        ("blob", "compressed", b"\0changed"),
        ("blob", "compressed", b"\1\5xxxxx"),
        ("blob", "compressed", b""),
        ("blob", "ordinal", 77),
        ("payload", "manifest", b"\0\1\2\3"),
        ("payload", "manifest", b"\0"),
        ("payload", "sha256", b"\0" * 32),
    ],
)
def test_what_was_changed_in_the_database_is_noticed(rows: str, column: str, value: Any) -> None:
    payloads.store(a_span(an_archive()), "input", b"The bytes that were recorded. " * 4)
    table = {"blob": Blob.objects, "payload": Payload.objects}[rows]
    table.update(**{column: value})
    with pytest.raises(PayloadCorrupt):
        payloads.load(Payload.objects.get())


@pytest.mark.django_db
def test_blobs_that_changed_places_are_noticed() -> None:
    archive = an_archive()
    payloads.store(a_span(archive), "input", a_request(2))
    archive.blob_set.update(ordinal=F("ordinal") + 100)
    for old, new in ((100, 1), (101, 0), (102, 2)):
        archive.blob_set.filter(ordinal=old).update(ordinal=new)
    with pytest.raises(PayloadCorrupt, match="not those that were recorded"):
        payloads.load(Payload.objects.get())


@pytest.mark.django_db
def test_a_generation_is_stored_in_five_queries() -> None:
    archive = an_archive()
    span = a_span(archive)
    stages = ("input", "request", "response", "output")
    with (
        transaction.atomic(),
        CaptureQueriesContext(
            connection,
        ) as queries,
    ):
        payloads.store_all(archive, [(span, stage, a_request(20), {}) for stage in stages])
    assert len(queries) == 5


@pytest.mark.django_db
def test_what_the_caller_takes_back_is_not_stored() -> None:
    archive = an_archive()
    with pytest.raises(RuntimeError), transaction.atomic():
        payloads.store(a_span(archive), "input", a_request(3))
        raise RuntimeError
    archive.refresh_from_db()
    assert (archive.blobs, Blob.objects.count(), Payload.objects.count()) == (0, 0, 0)
