"""Blobs that are stored as their difference from another blob of the archive."""

import json
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from limits.traces import MAX_BASE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.models import Archive, Blob, Payload, Span
from tracing.page.budget import message_kinds
from tracing.retention import blobs
from tracing.store import compression, payloads
from tracing.store.ranges import Body
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = pytest.mark.postgres

TEXT = "".join(f"行 {Random(number).randbytes(9).hex()}: a row\n" for number in range(60))

texts = st.text(max_size=300) | st.sampled_from([TEXT, TEXT[:700], TEXT[300:] * 2])


def forms(text: str) -> dict[str, bytes]:
    """The forms in which the result of a tool is stored."""
    content = [{"type": "text", "text": text}]
    return {
        "result": wire({"content": content, "is_error": False}),
        "shown": text.encode(errors="surrogatepass"),
        "frames": wire([{"message": {"result": {"content": content}}}]),
    }


def a_result(archive: Archive, text: str) -> Span:
    span = a_span(archive, "tool")
    payloads.store_all(archive, [(span, *form, {}) for form in forms(text).items()])
    return span


def a_request(archive: Archive, *texts: str) -> Payload:
    asked = [{"role": "tool", "tool_call_id": "call_1", "content": text} for text in texts]
    return payloads.store(a_span(archive), "request", wire({"messages": asked}))


def again(payload: Payload) -> Payload:
    return Payload.objects.select_related("span__trace").get(pk=payload.pk)


def with_a_base() -> list[int]:
    rows = Blob.objects.filter(base__isnull=False).order_by("ordinal")
    return list(rows.values_list("ordinal", flat=True))


class AnyBytes(TestCase):
    @given(st.lists(texts | st.binary(max_size=400), max_size=6), st.binary(max_size=9))
    def test_any_bytes_that_are_alike_come_back_exactly(
        self, bodies: list[str | bytes], rubbish: bytes
    ) -> None:
        archive, expected = an_archive(), {}
        for body in bodies:
            exact = body if isinstance(body, bytes) else body.encode(errors="surrogatepass")
            for one in (exact, exact[: len(exact) // 2] + rubbish + exact[len(exact) // 2 :]):
                expected[payloads.store(a_span(archive), "shown", one).pk] = one
        rows = Payload.objects.select_related("span__trace")
        assert (
            dict(zip([r.pk for r in rows], payloads.load_all(list(rows)), strict=True)) == expected
        )
        for row in rows:
            assert Body(row).read(3, 40) == expected[row.pk][3:40]
            assert b"".join(Body(row).stream()) == expected[row.pk]


@given(st.binary(min_size=1, max_size=2000), st.binary(max_size=2000))
def test_what_was_packed_with_a_base_is_the_same(content: bytes, base: bytes) -> None:
    packed = compression.pack_with(base, content)
    assert compression.unpack(packed, base) == content
    assert b"".join(compression.unpack_stream(packed, base)) == content


@pytest.mark.django_db
def test_a_result_is_stored_in_full_once_of_four_times() -> None:
    archive = an_archive()
    a_result(archive, TEXT)
    request = a_request(archive, TEXT)
    assert archive.blob_set.count() == 4
    assert with_a_base() == [1, 2, 3]
    rows = archive.blob_set.order_by("ordinal")
    sizes = [len(one) for one in rows.values_list("compressed", flat=True)]
    assert sum(sizes[1:]) < 0.5 * sizes[0]
    assert json.loads(payloads.load(again(request)))["messages"][0]["content"] == TEXT


@pytest.mark.django_db
@pytest.mark.parametrize("size", [0, 1, MAX_BASE_BYTES + 1, 20_000_000])
def test_a_large_or_tiny_payload_is_stored_in_full(size: int) -> None:
    archive, body = an_archive(), Random(size).randbytes(size // 100) * 100 + b"\xff" * (size % 100)
    stored = [payloads.store(a_span(archive), "shown", body[at:]) for at in (0, size // 2)]
    assert [payloads.load(again(one)) for one in stored] == [body, body[size // 2 :]]
    assert with_a_base() == []


@pytest.mark.django_db
def test_a_sweep_frees_the_base_and_keeps_what_needed_it() -> None:
    archive = an_archive()
    span = a_result(archive, TEXT)
    request = a_request(archive, TEXT)
    span.payloads.all().delete()
    assert blobs.sweep(archive.pk) == 3
    assert archive.blob_set.count() == 1
    assert TEXT in payloads.read_json(again(request))["messages"][0]["content"]


@pytest.mark.django_db
def test_a_sweep_deletes_nothing_while_a_blob_that_needs_a_base_is_damaged() -> None:
    archive = an_archive()
    span = a_result(archive, TEXT)
    a_request(archive, TEXT)
    archive.blob_set.filter(ordinal=0).update(compressed=compression.pack(b"other bytes"))
    span.payloads.all().delete()
    assert blobs.sweep(archive.pk) == 0
    assert archive.blob_set.count() == 4


@pytest.mark.django_db
@pytest.mark.parametrize("base", [None, b"", b"\4\1", compression.pack(b"another")])
def test_a_damaged_base_is_noticed(base: bytes | None) -> None:
    archive = an_archive()
    a_result(archive, TEXT)
    request = a_request(archive, TEXT)
    rows = archive.blob_set.filter(ordinal=0)
    rows.delete() if base is None else rows.update(compressed=base)
    with pytest.raises(PayloadCorrupt):
        payloads.load(again(request))
    with pytest.raises(PayloadCorrupt):
        Body(again(request)).examine()


@pytest.mark.django_db
def test_blobs_and_their_bases_are_read_by_one_query() -> None:
    archive = an_archive()
    for number in range(9):
        a_result(archive, TEXT[number * 40 :])
    request = again(a_request(archive, *(TEXT[number * 40 :] for number in range(9))))
    with CaptureQueriesContext(connection) as queries:
        payloads.load(request)
    assert len(queries) == 1


@pytest.mark.django_db
def test_the_kind_of_a_message_with_a_base_is_known() -> None:
    archive = an_archive()
    a_result(archive, TEXT)
    (ordinal,) = payloads.read_manifest(a_request(archive, TEXT)).section("messages")
    assert ordinal in with_a_base()
    assert message_kinds.notes_of(archive, [ordinal])[ordinal].part == message_kinds.Part.RESULTS
