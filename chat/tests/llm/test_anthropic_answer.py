"""The dialect anthropic, answers: content blocks, whole and in events."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects.anthropic import Anthropic
from chat.llm.dialects.contract import Answer, Origin, TextDelta
from chat.llm.messages import NO_NAME, UNNAMED
from chat.tests.llm.conversations import asked, cuts, ids, json_objects, texts
from chat.tests.llm.test_contract import streamed


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}


def whole(*blocks: dict[str, Any]) -> Answer:
    return Anthropic().answer({"type": "message", "role": "assistant", "content": list(blocks)})


def use(name: str, call_id: str = "toolu_1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "") -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": signature}


def test_blocks_become_one_message() -> None:
    answer = whole(thinking("hm"), text("a"), text("b"), use("f", x=1))

    assert answer.message == {
        "role": "assistant",
        "content": "ab",
        "reasoning_content": "hm",
        "tool_calls": [
            {
                "id": "toolu_1",
                "type": "function",
                "function": {"name": "f", "arguments": '{"x": 1}'},
            }
        ],
    }


def test_a_stream_of_events_becomes_the_same() -> None:
    events = [
        {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}},
        start(0, type="thinking", thinking="", signature=""),
        {"type": "ping"},
        delta(0, "thinking_delta", thinking="h"),
        delta(0, "thinking_delta", thinking="m"),
        delta(0, "signature_delta", signature="s1"),
        {"type": "content_block_stop", "index": 0},
        start(1, type="text", text=""),
        delta(1, "text_delta", text="So"),
        {"type": "content_block_stop", "index": 1},
        start(2, type="tool_use", id="toolu_1", name="f", input={}),
        delta(2, "input_json_delta", partial_json=""),
        delta(2, "input_json_delta", partial_json='{"x": '),
        delta(2, "input_json_delta", partial_json="1}"),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]

    deltas, answer = streamed(Anthropic(), events)

    assert answer == whole(thinking("hm", "s1"), text("So"), use("f", x=1))
    assert deltas == [
        TextDelta("reasoning", "h"),
        TextDelta("reasoning", "m"),
        TextDelta("content", "So"),
        TextDelta("calls", "\x1e2\x1ff\x1f"),
        TextDelta("calls", '{"x": '),
        TextDelta("calls", "1}"),
    ]


@given(given=json_objects, data=st.data())
def test_the_input_of_a_call_comes_in_pieces_of_any_size(
    given: dict[str, Any], data: st.DataObject
) -> None:
    pieces = data.draw(cuts(json.dumps(given)))
    events = [delta(0, "input_json_delta", partial_json=piece) for piece in pieces]

    _, answer = streamed(Anthropic(), [start(0, type="tool_use", id="a", name="f"), *events])

    assert json.loads(asked(answer)[0][1]) == given
    assert answer.errors == []


@given(thought=texts.filter(bool), said=texts.filter(bool), data=st.data())
def test_interleaved_blocks_are_told_apart_by_their_index(
    thought: str, said: str, data: st.DataObject
) -> None:
    pieces = [delta(0, "thinking_delta", thinking=piece) for piece in data.draw(cuts(thought))]
    pieces += [delta(1, "text_delta", text=piece) for piece in data.draw(cuts(said))]
    order = data.draw(st.permutations(range(len(pieces))))
    events = [pieces[place] for place in _stable(order, pieces)]

    _, answer = streamed(Anthropic(), [start(0, type="thinking"), start(1, type="text"), *events])

    assert (answer.message["reasoning_content"], answer.content) == (thought, said)


def _stable(order: list[int], pieces: list[dict[str, Any]]) -> list[int]:
    """An order in which the pieces of each block stay as they are."""
    rest = {
        index: iter([place for place, one in enumerate(pieces) if one["index"] == index])
        for index in (0, 1)
    }
    return [next(rest[pieces[place]["index"]]) for place in order]


def test_a_call_without_input_has_empty_arguments() -> None:
    _, answer = streamed(Anthropic(), [start(0, type="tool_use", id="a", name="f", input={})])

    assert asked(answer) == [("f", "{}")]


def test_signed_thinking_is_kept_as_it_came() -> None:
    redacted = {"type": "redacted_thinking", "data": "x"}

    answer = whole(thinking("a", "s1"), redacted, thinking("", "s2"), text("So"))

    assert answer.kept == {"thinking_blocks": [thinking("a", "s1"), redacted, thinking("", "s2")]}


def test_thinking_that_was_cut_before_its_signature_is_not_kept() -> None:
    answer = whole(thinking("hm"), text("So"))

    assert answer.kept == {}
    assert answer.message["reasoning_content"] == "hm"


def test_what_is_kept_goes_back_in_the_next_round() -> None:
    answer = whole(thinking("hm", "s1"), use("f"))
    history: Any = [{**answer.message, **answer.kept}]

    sent = Anthropic().request(history).body["messages"]

    assert sent[0]["content"] == [thinking("hm", "s1"), use("f")]


def test_thoughts_stand_on_lines_of_their_own() -> None:
    answer = whole(thinking("a"), text("So"), thinking("b"))

    assert answer.message["reasoning_content"] == "a\nb"


def test_origins_name_the_blocks() -> None:
    answer = whole(thinking("hm"), text("So"), use("f"))

    assert answer.origins == [
        Origin("content[1].text", "content", 0, 2),
        Origin("content[0].thinking", "reasoning", 0, 2),
        Origin("content[2]", "tool_call", call_id="toolu_1"),
    ]


def test_ids_are_unique() -> None:
    answer = whole(use("f"), use("g"), use("h", ""))

    assert ids(answer)[0] == "toolu_1"
    assert len({*ids(answer), ""}) == 4
    assert answer.reissued == {ids(answer)[1]: "toolu_1"}


def test_a_name_that_had_to_be_made_fit_comes_back() -> None:
    assert asked(whole(use("_u65e5__u671f_", x="y"))) == [("日期", '{"x": "y"}')]


def test_arguments_that_are_cut_are_an_error_that_names_the_limit() -> None:
    parser = Anthropic().stream()
    parser.feed(start(0, type="tool_use", id="a", name="f"))
    parser.feed(delta(0, "input_json_delta", partial_json='{"x'))

    _, answer = parser.finish("length")

    assert asked(answer) == [("f", '{"x')]
    assert answer.errors == [
        "The arguments of tool call 1 (f) are not a JSON object.",
        "The answer was cut at the limit of its length.",
    ]


def test_a_call_without_a_name_stays_a_call_and_is_an_error() -> None:
    answer = whole({"type": "tool_use", "id": "a"})
    assert asked(answer) == [(UNNAMED, "{}")]
    assert answer.errors == [NO_NAME]


def test_content_that_is_text_alone_is_read() -> None:
    assert Anthropic().answer({"content": "Hi"}).content == "Hi"


def test_a_message_in_its_first_event_is_read() -> None:
    _, answer = streamed(
        Anthropic(), [{"type": "message_start", "message": {"content": [text("Hi")]}}]
    )

    assert answer.content == "Hi"


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (start(0, type="server_tool_use"), "A content block of type server_tool_use was not read."),
        ({"type": "content_block_start"}, "A content block is not an object."),
        (delta(7, "text_delta", text="a"), "A part of a content block belongs to none."),
        ({"type": "content_block_delta"}, "A part of a content block belongs to none."),
        ({"content": 42}, "The content is not a list of blocks."),
    ],
)
def test_what_is_no_block_is_an_error(event: dict[str, Any], error: str) -> None:
    _, answer = streamed(Anthropic(), [event])

    assert (answer.content, answer.errors) == ("", [error])


def test_the_deltas_of_an_unread_block_are_no_further_errors() -> None:
    _, answer = streamed(
        Anthropic(), [start(0, type="x"), delta(0, "input_json_delta", partial_json="{")]
    )

    assert len(answer.errors) == 1
