"""The event stream rules of the WHATWG's HTML standard, 9.2.6."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.sse import EventStream, InvalidEvent, ServerEvent, StreamEvent, data_lines, whole_events

lines = st.sampled_from(
    ["data: a", "data:b", "data:  c", "data", "data:", ": ping", "event: error", "id: 7",
     "retry: 1", "", "", "", "данные: x", "data: 北\u2028\U0001f600", 'data: {"a": "\\n"}']
)  # fmt: skip
streams = st.lists(lines, max_size=20)


def decode(*pieces: bytes) -> list[StreamEvent]:
    stream = EventStream()
    return [event for piece in pieces for event in stream.feed(piece)]


def named(*pieces: bytes) -> list[tuple[str | bytes, str]]:
    return [(event.data, event.type) for event in decode(*pieces)]


def data(*pieces: bytes) -> list[str | bytes]:
    return [event.data for event in decode(*pieces)]


def test_an_event_ends_with_an_empty_line() -> None:
    assert data(b"data: a\n\ndata: b\n\ndata: c\n") == ["a", "b"]


def test_one_space_behind_the_colon_is_not_data() -> None:
    assert data(b"data:a\n\ndata: b\n\ndata:  c\n\n") == ["a", "b", " c"]


def test_lines_of_data_are_joined_by_newlines() -> None:
    assert data(b"data: a\ndata\ndata: b\n\n") == ["a\n\nb"]


def test_an_event_without_data_is_none() -> None:
    assert named(b"event: x\n\n\n\ndata: a\n\n") == [("a", "")]


def test_an_event_has_the_type_that_it_names() -> None:
    assert named(b"event: error\ndata: a\n\ndata: b\n\n") == [("a", "error"), ("b", "")]


def test_a_type_belongs_to_its_event_though_they_come_in_two_pieces() -> None:
    assert named(b"event: error\n", b"data: a\n\n") == [("a", "error")]


def test_comments_and_unknown_fields_mean_nothing() -> None:
    assert data(b": OPENROUTER PROCESSING\nfoo: x\ndatas: y\ndata: a\nid: 1\n\n") == ["a"]


def test_a_byte_order_mark_at_the_start_is_not_data() -> None:
    bom = "\ufeff".encode()

    assert data(bom[:1], bom[1:] + b"data: a\n\ndata: ", bom + b"\n\n") == ["a", "\ufeff"]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_each_kind_of_line_end_ends_a_line(end: bytes) -> None:
    assert data(end.join([b"data: a", b"data: b", b"", b"data: c", b"", b""])) == ["a\nb", "c"]


def test_a_line_end_cut_in_two_is_one() -> None:
    assert data(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == ["a\nb"]


def test_an_empty_piece_changes_nothing() -> None:
    assert data(b"data: a\r", b"", b"\ndata: b\n\n") == ["a\nb"]


def test_a_carriage_return_ends_the_event_without_waiting() -> None:
    assert data(b"data: a\r\r") == ["a"]


def test_a_line_separator_within_data_ends_nothing() -> None:
    assert data("data: a\u2028b\x85c\x0b\x0c\n\n".encode()) == ["a\u2028b\x85c\x0b\x0c"]


@given(text=streams, end=st.sampled_from(["\n", "\r", "\r\n"]), points=st.data())
def test_every_way_of_cutting_gives_the_same_events(
    text: list[str], end: str, points: st.DataObject
) -> None:
    body = end.join(text).encode()
    at = sorted(points.draw(st.lists(st.integers(0, len(body)), max_size=12)))
    pieces = [body[a:b] for a, b in zip([0, *at], [*at, len(body)], strict=True)]

    assert decode(*pieces) == decode(*(body[n : n + 1] for n in range(len(body))))


@given(st.lists(st.lists(lines, min_size=1, max_size=3).map("\n".join), min_size=1, max_size=4))
def test_pieces_of_whole_events_are_read_as_byte_by_byte(events: list[str]) -> None:
    body = "".join(f"{event}\n\n" for event in events).encode()

    assert decode(body) == decode(*(body[n : n + 1] for n in range(len(body))))


def test_each_event_tells_its_bytes_comments_before_it_included() -> None:
    body = "data: 数\n\ndata: b\n\n: ping\n\ndata: c\r\n\r\ndata: d\n\n".encode()
    events = decode(body)
    assert [body[event.start : event.end] for event in events] == [
        "data: 数\n\n".encode(),
        b"data: b\n\n",
        b": ping\n\ndata: c\r\n\r",
        b"\ndata: d\n\n",
    ]


def test_data_that_is_not_utf_8_is_an_invalid_event_among_the_others() -> None:
    first, second, third = decode(b"data: a\n\ndata: b\xff\n\ndata: c\n\n")

    assert (first.data, third.data) == ("a", "c")
    assert second == InvalidEvent(b"b\xff", "", 9, 19, offset=16, line=b"data: b\xff")


def test_the_offset_of_bad_bytes_counts_from_the_start_of_the_stream() -> None:
    pieces = (b"data: a\n\n", b"data: b\r", b"\n\r\ndata: ", b"\xe5\x8c", b"\n\n")
    invalid = decode(*pieces)[-1]

    assert isinstance(invalid, InvalidEvent)
    assert invalid.offset == 9 + 9 + 2 + 6


def test_bad_bytes_in_a_comment_mean_nothing() -> None:
    assert data(b": \xff\ndata: a\n\n") == ["a"]


@given(text=streams, end=st.sampled_from(["\n", "\r", "\r\n"]))
def test_lines_of_data_in_a_text_are_those_of_its_events(text: list[str], end: str) -> None:
    body = end.join([*text, "", ""])
    lines = [body[start:stop].removeprefix(" ") for start, stop in data_lines(body)]

    events = "\n".join(str(event.data) for event in whole_events(body.encode()))
    assert [line for line in lines if line] == [line for line in events.split("\n") if line]


def test_the_last_event_may_miss_its_empty_line() -> None:
    stream = EventStream()
    list(stream.feed(b"data: a\n"))

    assert stream.rest() == ServerEvent("a", "", 0, 8)


def test_a_last_line_without_an_end_is_dropped() -> None:
    stream = EventStream()
    list(stream.feed(b"data: a\ndata: b"))

    assert stream.rest() == ServerEvent("a", "", 0, 8)


@pytest.mark.parametrize("size", [121, 4096])
def test_it_is_never_the_bottleneck(size: int) -> None:
    body = (b'data: {"choices":[{"delta":{"content":"x"}}]}' + b" " * 74 + b"\n\n") * 20_000
    stream = EventStream()
    began = time.process_time()

    count = sum(1 for at in range(0, len(body), size) for _ in stream.feed(body[at : at + size]))

    assert count == 20_000
    assert time.process_time() - began < 1  # about 0.03


def test_a_line_of_a_megabyte_in_small_pieces_is_read_in_linear_time() -> None:
    stream = EventStream()
    began = time.process_time()
    for _ in range(100_000):
        list(stream.feed(b"data: data"))

    assert [len(event.data) for event in stream.feed(b"\n\n")] == [999_994]
    assert time.process_time() - began < 5  # about 0.1
