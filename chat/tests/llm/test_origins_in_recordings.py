"""What a dialect notes of origins, and what the trace page reads in the recorded bytes, agree."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import dialect
from chat.llm.dialects.contract import Answer
from chat.llm.messages import UNNAMED
from db.fields import dump_json
from wire.recorded import read_response
from wire.response_parts import ResponsePart

SPOKEN = (
    '<think>数据库?</think>\n\nI look. 😀\n<tool_call>\n{"name": "count", "arguments": {"a": "<b"}}'
    '\n</tool_call> and <tool_call>{"name": broken</tool_call> then\n<tool_call>{"name": "b"}'
)
PIECES = (
    {"index": 1, "id": "x", "function": {"name": "second", "arguments": '{"n"'}},
    {"index": 0, "id": "x", "function": {"name": "first", "arguments": "{}"}},
    {"index": 1, "function": {"arguments": ": 2}"}},
    {"id": "y", "function": {"name": "third", "arguments": "{}"}},
    {"function": {"name": "fourth", "arguments": "{}"}},
)
BLOCKS = (
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
    {"type": "content_block_delta", "index": 0, "delta": {"thinking": "Let me see."}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "I "}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "look."}},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "t", "name": "first", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 2,
        "delta": {"type": "input_json_delta", "partial_json": "{}"},
    },
    {
        "type": "content_block_start",
        "index": 3,
        "content_block": {"type": "tool_use", "id": "t", "name": "second", "input": {"n": 2}},
    },
)


def recorded(
    name: str, wire: Sequence[Mapping[str, Any]]
) -> tuple[Answer, dict[str, ResponsePart]]:
    """The answer that the dialect makes of deltas or events, and what their bytes say, by path."""
    parser = dialect(name).stream()
    for delta in wire:
        parser.feed(delta)
    body = body_of(name, wire)
    parts = read_response(body, dump_json).parts
    return parser.finish()[1], {part.path: part for part in parts}


def body_of(name: str, wire: Sequence[Mapping[str, Any]]) -> bytes:
    """A stream of deltas or events; a whole message stands by itself."""
    if wire and wire[0].get("type") == "message":
        return json.dumps(wire[0]).encode()
    is_blocks = name == "anthropic"
    events = wire if is_blocks else [{"choices": [{"delta": delta}]} for delta in wire]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


def expect_agreement(answer: Answer, said: dict[str, ResponsePart]) -> None:
    """Each call's origin has the call, and the origins of a text, joined, are that text."""
    names = {call["id"]: call["function"]["name"] for call in answer.tool_calls}
    texts = {"content": "", "reasoning": ""}
    for origin in answer.origins:
        part = said[origin.path.split(".")[0]]
        if origin.became != "tool_call":
            texts[origin.became] += part.text[origin.start : origin.end]
        elif origin.start is None:
            assert (part.name or UNNAMED) == names[str(origin.call_id)]
        else:
            block = part.text[origin.start : origin.end]
            assert block.startswith("<tool_call>")
            assert names[str(origin.call_id)] in block
    assert texts["content"] == answer.content
    assert texts["reasoning"] == answer.message.get("reasoning_content", "")


@given(st.lists(st.integers(0, len(SPOKEN.encode("utf-16-le")) // 2), max_size=12))
def test_of_a_nous_answer_however_it_was_cut(cuts: list[int]) -> None:
    units = SPOKEN.encode("utf-16-le")
    places = sorted({0, len(units) // 2, *cuts})
    texts = [
        units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
        for start, end in pairwise(places)
    ]
    answer, said = recorded("nous", [{"content": text} for text in texts])
    assert len(answer.tool_calls) == 2
    expect_agreement(answer, said)


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.booleans())
def test_of_native_calls_in_whatever_pieces(
    pieces: list[dict[str, Any]], is_together: bool
) -> None:
    together = [{"tool_calls": pieces}]
    apart = [{"tool_calls": [piece]} for piece in pieces]
    answer, said = recorded("native", together if is_together else apart)
    expect_agreement(answer, said)
    assert sum(path.startswith("tool_calls") for path in said) == len(answer.tool_calls)


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("native", [{"reasoning": "Let me "}, {"reasoning": "see."}, {"content": "Three."}]),
        ("native", [{"content": [{"type": "text", "text": "Th"}]}, {"content": "ree."}]),
        ("native", [{"content": "Let me see.</think>Three."}]),
        ("functions", [{"content": "I look."}, {"function_call": PIECES[0]["function"]}]),
        ("anthropic", BLOCKS),
        ("anthropic", [{"type": "message", "content": [{"type": "text", "text": "Three."}]}]),
        ("anthropic", [{"type": "message", "content": "Three."}]),
    ],
)
def test_of_answers_of_every_kind(name: str, wire: Sequence[Mapping[str, Any]]) -> None:
    answer, said = recorded(name, wire)
    assert answer.origins
    expect_agreement(answer, said)
