"""A recorded stream as the one document of a request without `stream`."""

import json
from typing import Any

import pytest

from chat.cassettes.stream_document import stream_document
from chat.tests.cassettes.builders import stream


def events(*values: Any) -> bytes:
    return "".join(f"data: {json.dumps(value)}\n\n" for value in values).encode()


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def test_texts_are_joined_and_the_last_usage_counts() -> None:
    usage = {"prompt_tokens": 3}
    body = stream("三", "张").encode() + events({"choices": [], "usage": usage})
    document = stream_document("openai", body)
    assert document is not None
    assert document["object"] == "chat.completion"
    assert (document["id"], document["model"], document["usage"]) == ("c1", "m", usage)
    assert document["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "三张"},
            "finish_reason": "stop",
        }
    ]


def test_calls_are_joined_by_their_index() -> None:
    pieces: list[dict[str, Any]] = [
        {"index": 0, "id": "a", "function": {"name": "add", "arguments": '{"a"'}},
        {"index": 1, "id": "b", "function": {"name": "sub", "arguments": "{}"}},
        {"index": 0, "function": {"arguments": ": 1}"}},
    ]
    document = stream_document(
        "openai", events(*(delta(tool_calls=[piece]) for piece in pieces), END)
    )
    assert document is not None
    calls = document["choices"][0]["message"]["tool_calls"]
    assert [(call["id"], call["function"]) for call in calls] == [
        ("a", {"name": "add", "arguments": '{"a": 1}'}),
        ("b", {"name": "sub", "arguments": "{}"}),
    ]


def test_a_function_call_of_before_tools_stands_by_itself() -> None:
    document = stream_document(
        "openai",
        events(
            delta(function_call={"name": "add", "arguments": "{"}),
            delta(function_call={"arguments": "}"}),
            END,
        ),
    )
    assert document is not None
    message = document["choices"][0]["message"]
    assert message["function_call"] == {"name": "add", "arguments": "{}"}


def test_blocks_of_the_messages_api_are_joined() -> None:
    body = events(
        {"type": "message_start", "message": {"id": "m1", "usage": {"input_tokens": 5}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "x", "text": "Hi"}},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "add", "input": {}},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": "1}"}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 7},
        },
        {"type": "message_stop"},
    )
    assert stream_document("anthropic", body) == {
        "id": "m1",
        "usage": {"input_tokens": 5, "output_tokens": 7},
        "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "Hi"},
            {"type": "tool_use", "id": "t", "name": "add", "input": {"a": 1}},
        ],
    }


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_stream_that_was_cut_is_no_document(protocol: str) -> None:
    assert stream_document(protocol, stream("Hi", finish=None).encode()) is None
    assert stream_document(protocol, b"data: \xff\n\n") is None
