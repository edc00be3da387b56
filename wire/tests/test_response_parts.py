import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.recorded import RecordedResponse, read_response

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("choices", "delta", "message", "tool_calls", "function", "index", "name"),
                    *("type", "content", "content_block", "id", "arguments", "function_call"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def events(*deltas: dict[str, object]) -> bytes:
    lines = [json.dumps({"choices": [{"index": 0, "delta": delta}]}) for delta in deltas]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def write_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def read(body: bytes) -> RecordedResponse:
    return read_response(body, write_json)


def said(body: bytes) -> dict[str, str]:
    """Texts, and names with arguments of calls, by path."""
    return {part.path: part.name + part.text for part in read(body).parts}


def test_the_text_of_a_stream_is_joined() -> None:
    body = events({"role": "assistant"}, {"content": "<tool_"}, {"content": "call>"})
    assert said(body) == {"content": "<tool_call>"}
    assert read(body).events == 3


def test_reasoning_is_joined_apart_by_the_key_that_it_came_in() -> None:
    body = events({"reasoning_content": "Let me "}, {"reasoning": "see"}, {"content": "Three."})
    assert said(body) == {"reasoning_content": "Let me ", "reasoning": "see", "content": "Three."}


def test_a_character_that_was_cut_between_two_deltas_is_whole_again() -> None:
    assert said(events({"content": "\ud83d"}, {"content": "\ude00!"})) == {"content": "😀!"}


def test_the_pieces_of_interleaved_calls_find_their_call() -> None:
    body = events(
        {"tool_calls": [{"index": 0, "function": {"name": "a", "arguments": '{"x"'}}]},
        {"tool_calls": [{"index": 1, "function": {"name": "b", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
    )
    assert said(body) == {"tool_calls[0]": 'a{"x":1}', "tool_calls[1]": "b{}"}


def test_the_older_function_call_is_joined() -> None:
    body = events(
        {"function_call": {"name": "read_query", "arguments": '{"query":'}},
        {"function_call": {"arguments": ' "SELECT 1"}'}},
    )
    assert said(body) == {"function_call": 'read_query{"query": "SELECT 1"}'}


def test_an_answer_that_is_no_stream_is_read_as_well() -> None:
    body = json.dumps({"choices": [{"message": {"content": "Three."}}]}).encode()
    assert said(body) == {"content": "Three."}


def test_the_blocks_of_anthropic_events_are_joined() -> None:
    lines: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "msg_1", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
        block_delta(0, type="thinking_delta", thinking="Let me "),
        block_delta(0, type="thinking_delta", thinking="see"),
        block_delta(0, type="signature_delta", signature="c2ln"),
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        block_delta(1, type="text_delta", text="I look."),
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
        },
        block_delta(2, type="input_json_delta", partial_json='{"a":'),
        block_delta(2, type="input_json_delta", partial_json="1}"),
        {"type": "message_stop"},
    ]
    body = b"".join(
        f"event: {line['type']}\ndata: {json.dumps(line)}\n\n".encode() for line in lines
    )
    assert said(body) == {
        "content[0]": "thinkingLet me see",
        "content[1]": "textI look.",
        "content[2]": 'look{"a":1}',
    }


def test_a_whole_anthropic_message_is_read() -> None:
    blocks = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"a": 1}},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "something_new", "value": 3},
    ]
    recorded = read(json.dumps({"type": "message", "content": blocks}).encode())
    assert [(part.kind, part.text) for part in recorded.parts] == [
        ("content", "I look."),
        ("call", '{"a":1}'),
        ("reasoning", "[redacted by the provider]"),
        ("other", '{"type":"something_new","value":3}'),
    ]


@pytest.mark.parametrize(
    "body", [b'{"error":{"message":"overloaded"}}', b"<html>", b"", b": ping\n\n"]
)
def test_what_is_no_answer_says_nothing(body: bytes) -> None:
    assert read(body).parts == []


def block_delta(index: int, **delta: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


@given(st.binary() | json_values.map(lambda value: b"data: " + json.dumps(value).encode()))
def test_no_bytes_are_too_strange(body: bytes) -> None:
    read(body)


@given(json_values)
def test_no_choice_is_too_strange(value: object) -> None:
    read(json.dumps({"choices": [value]}).encode())
    read(json.dumps({"choices": [{"delta": value}]}).encode())


@given(st.sampled_from(["content_block_start", "content_block_delta", "message"]), json_values)
def test_no_block_is_too_strange(type_: str, value: object) -> None:
    event = {"type": type_, "index": 0, "content_block": value, "delta": value, "content": [value]}
    read(json.dumps(event).encode())
