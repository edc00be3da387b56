"""The Messages API's events, read from bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.anthropic_messages import REFUSED, MessageEvents
from wire.chunks import Chunk, Problem, ProblemKind, ReadProblem, ReportedError
from wire.content_blocks import BlockReader
from wire.response import ResponseReader
from wire.tests.values import json_values


def event(kind: str, /, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()


def start(**usage: int) -> bytes:
    return event("message_start", message={"id": "m1", "model": "claude", "usage": usage})


def ended(reason: str | None = "end_turn", **more: Any) -> bytes:
    return event("message_delta", delta={"stop_reason": reason, **more.pop("delta", {})}, **more)


STOP = event("message_stop")
PING = event("ping")


def read(*pieces: bytes) -> list[Chunk]:
    chunks, problem = read_all(*pieces)
    assert problem is None
    return chunks


def problem_of(*pieces: bytes) -> ReadProblem:
    problem = read_all(*pieces)[1]
    assert problem is not None
    return problem


def kind_of(*pieces: bytes) -> ProblemKind:
    problem = problem_of(*pieces)
    assert isinstance(problem, Problem)
    return problem.kind


def read_all(*pieces: bytes) -> tuple[list[Chunk], ReadProblem | None]:
    reader = ResponseReader(MessageEvents())
    items = [item for piece in pieces for item in reader.feed(piece)] + reader.finish()
    return [item for item in items if isinstance(item, Chunk)], reader.problem


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
    assert kind_of(start(), rest) is ProblemKind.CUT


@pytest.mark.parametrize("body", [PING, PING * 9])
def test_pings_say_nothing(body: bytes) -> None:
    assert kind_of(body) is ProblemKind.NO_CHUNKS


def test_an_error_event_is_reported_as_it_came() -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    problem = problem_of(start(), event("error", error=error))
    assert isinstance(problem, ReportedError)
    assert (problem.error, problem.offset) == ({"type": "error", "error": error}, len(start()))


def test_the_content_of_a_message_that_was_not_streamed_may_be_text() -> None:
    assert read(b'{"type": "message", "content": "a"}')[0].delta["content"] == "a"


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
    assert kind_of(body) is ProblemKind.NOT_A_STREAM


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
    parser = BlockReader()
    chunks = read(*(piece for value in values for piece in events_of(value)), STOP)
    for chunk in chunks:
        parser.feed(chunk.delta)
        assert isinstance(chunk.finish_reason, str | None)
        assert isinstance(chunk.model, str | None)
    assert len(chunks) == 7 * len(values)
