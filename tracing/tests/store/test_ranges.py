"""A body by ranges and parts gives what the whole body has."""

import json
import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from limits.traces import MAX_MATCHES
from tracing.errors import PayloadCorrupt
from tracing.models import Blob, Payload
from tracing.page.payload import parts, text_matches
from tracing.store import compression, payloads
from tracing.store.ranges import Body
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

LONG = "".join(f"第{number}行: 数据库 row {number}\n" for number in range(30_000))


def a_body(content: bytes) -> Body:
    span = a_span(an_archive())
    payloads.store(span, "result", content)
    return Body(Payload.objects.select_related("span__trace").get(span=span))


def a_request(count: int) -> bytes:
    messages = [{"role": "user", "content": f"{n} " + "数据" * (n % 90)} for n in range(count)]
    return wire({"model": "m", "messages": messages, "stream": True})


@given(st.binary(max_size=400_000))
def test_a_stream_gives_what_was_packed(content: bytes) -> None:
    assert b"".join(compression.unpack_stream(compression.pack(content))) == content


def test_large_contents_come_in_pieces() -> None:
    packed = compression.pack(LONG.encode() * 4)
    assert max(map(len, compression.unpack_stream(packed))) <= 128 * 1024
    noise = compression.pack(random.Random(1).randbytes(300_000))
    assert len(list(compression.unpack_stream(noise))) == 3


def test_any_range_is_that_of_the_body() -> None:
    content = a_request(300)
    body, random_ = a_body(content), random.Random(2)
    for _ in range(50):
        start = random_.randrange(len(content))
        end = start + random_.randrange(5_000)
        assert body.read(start, end) == content[start:end]


def test_a_range_reads_only_the_blobs_that_it_touches() -> None:
    body = a_body(a_request(300))
    assert body.segments
    with CaptureQueriesContext(connection) as queries:
        body.read(1_000, 1_100)
    assert len(queries) <= 3


@pytest.mark.parametrize("content", [LONG.encode(), b"x" * 100_000, "数".encode() * 40_000, b""])
def test_the_parts_of_a_body_are_the_body(content: bytes) -> None:
    body = a_body(content)
    shown = [parts.read_part(body, number + 1) for number in range(parts.count(body.size))]
    assert "".join(s.text for part in shown for s in part.texts) == content.decode()
    assert [part.start for part in shown] == parts.starts(body)


def test_parts_begin_at_lines_where_there_are_any() -> None:
    content = LONG.encode()
    begins = parts.starts(a_body(content))
    assert all(content[at - 1 : at] == b"\n" for at in begins[1:])


def test_the_part_of_a_byte_has_it() -> None:
    body = a_body(LONG.encode())
    for at in (0, parts.SIZE, parts.SIZE + 6, 500_000, body.size - 1, body.size + 9):
        part = parts.read_part(body, parts.number_at(body, at))
        assert part.start <= min(at, body.size - 1) < part.end


def test_matches_are_found_across_pieces_and_in_either_case() -> None:
    content = LONG.encode()
    found = text_matches.find(a_body(content), "ROW 29999")
    assert [content[m.start : m.end] for m in found.matches] == [b"row 29999"]


@given(st.integers(2, 60), st.text("ab", min_size=1, max_size=4))
def test_a_match_is_found_wherever_pieces_end(cut: int, query: str) -> None:
    content = (b"ab" * cut + b"bba") * 3

    class Cut(Body):
        def __init__(self) -> None:
            pass

        def stream(self, start: int = 0, end: int | None = None):  # type: ignore[no-untyped-def]
            yield from (content[at : at + cut] for at in range(0, len(content), cut))

    expected = list(text_matches.find_within(content, query))
    assert text_matches.find(Cut(), query).matches == expected


def test_what_is_escaped_in_json_is_found() -> None:
    body = a_body(json.dumps({"text": '数据 "quoted"\nline'}).encode() + b" " * 100)
    for query in ("数据", '"quoted"', '"quoted"\nline'):
        assert len(text_matches.find(body, query).matches) == 1


def test_more_matches_than_can_be_shown_are_told() -> None:
    found = text_matches.find(a_body(b"ab" * 5_000), "a")
    assert (len(found.matches), found.more) == (MAX_MATCHES, True)


def test_a_match_is_marked_in_its_part_even_where_it_reaches_into_the_next() -> None:
    content = b"x" * (parts.SIZE - 2) + b"needle" + b"x" * 100
    body = a_body(content)
    marked = [
        [(s.text, s.match) for s in parts.read_part(body, n, "needle").texts if s.match]
        for n in (1, 2)
    ]
    assert marked == [[("ne", parts.SIZE - 2)], [("edle", parts.SIZE - 2)]]


def test_what_is_no_text_is_shown_as_bytes() -> None:
    body = a_body(b"\x00\xffPNG" + bytes(range(256)) * 10)
    assert not body.examine().is_text
    line = parts.read_part(body, 1, hex_width=parts.BROAD).texts[0].text.split("\n")[0]
    assert line.startswith("00000000  00 ff 50 4e 47")
    assert line.endswith("··PNG···········")


@pytest.mark.parametrize("change", ["delete", "content"])
def test_damage_is_told(change: str) -> None:
    body = a_body(LONG.encode())
    if change == "delete":
        Blob.objects.all().delete()
    else:
        Blob.objects.update(compressed=compression.pack(LONG.replace("1", "2").encode()))
    with pytest.raises(PayloadCorrupt):
        body.examine()
