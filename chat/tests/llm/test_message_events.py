"""The Messages API's events, read from bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import configured
from chat.llm.errors import (
    CutStream,
    NoChunks,
    NotAStream,
    ProviderError,
    ProviderFailure,
)
from chat.llm.wires.contract import Chunk
from chat.llm.wires.messages_api import REFUSED, MessageEvents
from chat.llm.wires.reading import EventReader
from chat.tests.llm.conversations import json_values


def event(kind: str, /, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()


def start(**usage: int) -> bytes:
    return event("message_start", message={"id": "m1", "model": "claude", "usage": usage})


def ended(reason: str | None = "end_turn", **more: Any) -> bytes:
    return event("message_delta", delta={"stop_reason": reason, **more.pop("delta", {})}, **more)


STOP = event("message_stop")
PING = event("ping")


def read(*pieces: bytes) -> list[Chunk]:
    reader = EventReader(MessageEvents())
    return [c for piece in pieces for c in reader.feed(piece)] + list(reader.finish())


def failure(*pieces: bytes) -> ProviderFailure:
    with pytest.raises(ProviderFailure) as raised:
        read(*pieces)
    return raised.value


def test_the_parser_gets_every_event_as_it_is() -> None:
    block = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    delta = event("content_block_delta", index=0, delta={"type": "text_delta", "text": "a"})
    chunks = read(start(), PING, block, delta, event("content_block_stop", index=0), ended(), STOP)
    assert [chunk.delta["type"] for chunk in chunks] == [
        *("message_start", "content_block_start", "content_block_delta", "message_delta")
    ]
    assert chunks[2].delta == json.loads(delta.partition(b"data: ")[2])


def test_a_missing_index_is_that_of_the_latest_block() -> None:
    block = event("content_block_start", content_block={"type": "text", "text": ""})
    delta = event("content_block_delta", delta={"type": "text_delta", "text": "a"})
    chunks = read(block, delta, block, delta, STOP)
    assert [chunk.delta["index"] for chunk in chunks] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("reason", "finish_reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "stop"),
        ("something_new", "something_new"),
    ],
)
def test_reasons_to_stop_have_the_names_of_chat_completions(
    reason: str, finish_reason: str
) -> None:
    assert read(ended(reason), STOP)[-1].finish_reason == finish_reason


@pytest.mark.parametrize(("details", "said"), [(None, REFUSED), ({"explanation": "No."}, "No.")])
def test_a_refusal_is_a_sentence(details: Any, said: str) -> None:
    assert read(ended("refusal", delta={"stop_details": details}), STOP)[-1].refusal == said


def test_usage_is_merged_from_its_two_parts() -> None:
    begun = start(
        input_tokens=3,
        cache_creation_input_tokens=20,
        cache_read_input_tokens=100,
        output_tokens=1,
    )
    usage = read(begun, ended(usage={"output_tokens": 7, "input_tokens": None}), STOP)[-1].usage
    assert usage is not None
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (123, 7)
    assert usage["prompt_tokens_details"] == {"cached_tokens": 100, "cache_creation_tokens": 20}
    assert usage["raw"]["input_tokens"] == 3


def test_without_usage_there_is_none() -> None:
    assert {chunk.usage for chunk in read(event("message_start", message={}), ended(), STOP)} == {
        None
    }


@pytest.mark.parametrize("rest", [b"", ended(), STOP[:-10]])
def test_an_answer_without_its_last_event_is_cut(rest: bytes) -> None:
    assert isinstance(failure(start(), rest), CutStream)


@pytest.mark.parametrize("body", [PING, PING * 9])
def test_pings_say_nothing(body: bytes) -> None:
    assert isinstance(failure(body), NoChunks)


@pytest.mark.parametrize(
    ("kind", "retryable"),
    [("overloaded_error", True), ("api_error", True), ("invalid_request_error", False)],
)
def test_an_error_event_is_a_failure_in_its_words(kind: str, retryable: bool) -> None:
    reported = failure(start(), event("error", error={"type": kind, "message": "Overloaded"}))
    assert isinstance(reported, ProviderError)
    assert (reported.code, reported.retryable) == (kind, retryable)
    assert "(Overloaded)" in str(reported)


def test_a_message_that_was_not_streamed_is_read_at_once() -> None:
    message = {
        "type": "message",
        "id": "m1",
        "model": "claude",
        "content": [{"type": "text", "text": "a"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    (chunk,) = read(json.dumps(message, indent=1).encode())
    assert chunk.delta == message
    assert (chunk.finish_reason, chunk.model, chunk.id) == ("stop", "claude", "m1")
    assert chunk.usage is not None and chunk.usage["total_tokens"] == 3


@pytest.mark.parametrize("body", [b"{}", b'{"content": "a"}', b'{"choices": [{"message": {}}]}'])
def test_another_document_is_no_message(body: bytes) -> None:
    assert isinstance(failure(body), NotAStream)


def events_of(value: Any) -> list[bytes]:
    """An event of every kind, with this value wherever one can be."""
    inner = dict.fromkeys(("stop_reason", "stop_details", "usage", "model", "id"), value)
    return [
        event("message_start", message=value),
        event("message_start", message=inner),
        event("content_block_start", index=value, content_block=value),
        event("content_block_delta", index=value, delta=value),
        event("content_block_start", content_block=value),
        event("message_delta", delta=value, usage=value),
        event("message_delta", delta=inner, usage={"input_tokens": value}),
        event("something_new", value=value),
    ]


@given(st.lists(json_values, min_size=1, max_size=4))
def test_events_of_odd_shapes_crash_nothing(values: list[Any]) -> None:
    parser = configured("anthropic").stream()
    chunks = read(*(piece for value in values for piece in events_of(value)), STOP)
    for chunk in chunks:
        parser.feed(chunk.delta)
        assert isinstance(chunk.finish_reason, str | None)
        assert isinstance(chunk.model, str | None)
    assert len(chunks) == 7 * len(values)
