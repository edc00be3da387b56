from typing import Any

import pytest
from django.test import Client

from db.fields import dump_json
from limits.trace_pages import MAX_PLAYED_PIECES
from tracing.journal import trace_rounds
from tracing.page.timeline import player
from tracing.tests.builders import ATurn, a_user, wire
from wire.recorded import RecordedResponse, read_pieces, read_response


def event(**delta: object) -> bytes:
    return b"data: " + wire({"choices": [{"delta": delta}]}) + b"\n\n"


def block(type_: str, **fields: object) -> bytes:
    return b"data: " + wire({"type": type_, "index": 0, **fields}) + b"\n\n"


def arriving(body: bytes) -> RecordedResponse:
    return read_pieces(body, dump_json)


@pytest.fixture
def turn(db: None) -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (100, 900))
    return turn


def test_pieces_make_up_what_the_reply_says() -> None:
    body = event(reasoning_content="Hm.") + event(content="数据") + event(content="库")
    assert [(piece.part, piece.text) for piece in arriving(body).pieces] == [
        (0, "Hm."),
        (1, "数据"),
        (1, "库"),
    ]
    assert [part.text for part in read_response(body, dump_json).parts] == ["Hm.", "数据库"]


def test_the_input_that_a_block_begins_with_is_void_when_pieces_of_it_come() -> None:
    body = block("content_block_start", content_block={"type": "tool_use", "input": {}})
    body += block("content_block_delta", delta={"partial_json": '{"a":1}'})
    pieces = arriving(body).pieces
    assert [(piece.text, piece.restarts) for piece in pieces] == [("{}", False), ('{"a":1}', True)]


def test_a_character_that_was_cut_in_two_comes_whole() -> None:
    body = b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
    body += b'data: {"choices":[{"delta":{"content":"\\ude00!"}}]}\n\n'
    assert [piece.text for piece in arriving(body).pieces] == ["😀!"]


def test_a_stream_comes_with_its_recorded_times(turn: ATurn) -> None:
    first, second = event(content="one "), event(content="two")
    chunks = [(10.0, len(first)), (30.5, len(second))]
    turn.a_generation(
        {"response": first + second}, (150, 300), details={"response": {"chunks": chunks}}
    )
    (attempt,) = player.timeline(turn_round(turn))["attempts"]
    assert attempt["is_exact"]
    assert attempt["pieces"] == [[60_000, 0, "one "], [80_500, 0, "two"]]


def test_where_lengths_differ_pieces_are_spread_evenly(turn: ATurn) -> None:
    body = event(content="one ") + event(content="two") + event(content="three")
    details: dict[str, Any] = {"response": {"chunks": [(10.0, 3), (30.0, 3)]}}
    turn.a_generation({"response": body}, (100, 300), details=details)
    (attempt,) = player.timeline(turn_round(turn))["attempts"]
    assert not attempt["is_exact"]
    assert [at for at, *_ in attempt["pieces"]] == [10_000, 20_000, 30_000]


def test_very_many_pieces_are_joined_and_lose_nothing(turn: ATurn) -> None:
    events = [event(content=f"{number} ") for number in range(9_000)]
    chunks = [(float(number), len(one)) for number, one in enumerate(events)]
    details: dict[str, Any] = {"response": {"chunks": chunks}}
    turn.a_generation({"response": b"".join(events)}, (100, 300), details=details)
    (attempt,) = player.timeline(turn_round(turn))["attempts"]
    assert len(attempt["pieces"]) <= MAX_PLAYED_PIECES + 1
    assert "".join(text for _, _, text in attempt["pieces"]).split() == [*map(str, range(9_000))]


def test_a_huge_text_is_bounded(turn: ATurn) -> None:
    body = event(content="x" * 150_000) + event(content="y" * 150_000)
    turn.a_generation({"response": body}, (100, 300))
    (attempt,) = player.timeline(turn_round(turn))["attempts"]
    assert sum(len(text) for _, _, text in attempt["pieces"]) == 200_000
    assert attempt["hidden"] == 100_000


def test_attempts_and_calls_stand_in_the_rounds_time(turn: ATurn) -> None:
    waits = {"retry_in_ms": 50}
    turn.a_generation({"request": b"{}"}, (100, 200), status="failed", attributes=waits)
    turn.a_call({}, (460, None), 1, status="sent", attributes={"tool": "read\u202e_query"})
    found = player.timeline(turn_round(turn))
    (attempt,), (call,) = found["attempts"], found["calls"]
    assert (attempt["started"], attempt["ended"], attempt["retry_in"]) == (0, 100_000, 50_000)
    assert attempt["stages"] == ["request"]
    assert (call["started"], call["ended"]) == (360_000, None)
    assert call["name"] == "read[U+202E]_query"


def test_a_timeline_is_for_those_who_may_see_the_trace(turn: ATurn, client: Client) -> None:
    url = f"{turn.trace.get_absolute_url()}timelines/1"
    client.force_login(a_user())
    assert client.get(url).status_code == 404
    client.force_login(turn.archive.owner)
    assert client.get(url).json()["round"] == 1
    assert client.get(f"{turn.trace.get_absolute_url()}timelines/2").status_code == 404


def turn_round(turn: ATurn) -> trace_rounds.Round:
    found = trace_rounds.find_round(turn.trace, 1)
    assert found is not None
    return found
