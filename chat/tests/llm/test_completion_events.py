import json
from typing import Any

import pytest
from hypothesis import given

from chat.llm.errors import (
    BrokenChunk,
    CutStream,
    EmptyBody,
    InvalidUtf8,
    NoChunks,
    NotAStream,
    ProviderError,
    ProviderFailure,
)
from chat.llm.wires.chat_completions import CompletionEvents
from chat.llm.wires.contract import Chunk
from chat.llm.wires.reading import EventReader
from chat.tests.llm.conversations import json_values

STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'


def event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def read(*pieces: bytes) -> list[Chunk]:
    """The chunks of a whole response."""
    reader = EventReader(CompletionEvents())
    chunks = [chunk for piece in pieces for chunk in reader.feed(piece)]
    return chunks + list(reader.finish())


def failure(*pieces: bytes) -> ProviderFailure:
    with pytest.raises(ProviderFailure) as raised:
        read(*pieces)
    return raised.value


def said(content: str) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": content}}]})


def test_a_chunk_has_what_its_event_says() -> None:
    body = event(
        {
            "id": "c1",
            "model": "m",
            "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}],
            "usage": {"total_tokens": 3},
        }
    )

    assert read(body) == [Chunk({"content": "a"}, "stop", {"total_tokens": 3}, "m", "c1")]


def test_a_chunk_of_usage_alone_has_no_delta() -> None:
    assert read(STOP, event({"choices": [], "usage": {"total_tokens": 3}}))[1] == Chunk(
        {}, usage={"total_tokens": 3}
    )


def test_what_follows_the_end_that_the_stream_declares_is_not_read() -> None:
    reader = EventReader(CompletionEvents())

    assert list(reader.feed(STOP + b"data: [DONE]\n\ndata: nonsense\n\n"))
    assert reader.done
    assert list(reader.finish()) == []


@pytest.mark.parametrize("delta", [None, [], "x"])
def test_a_delta_that_is_no_object_is_empty(delta: Any) -> None:
    assert read(event({"choices": [{"delta": delta, "finish_reason": "stop"}]}))[0].delta == {}


@pytest.mark.parametrize("choices", [None, {}, [None], [{"index": 1, "delta": {"content": "x"}}]])
def test_choices_that_were_not_asked_for_are_not_read(choices: Any) -> None:
    assert read(event({"choices": choices}), STOP)[0] == Chunk({})


def test_the_last_chunk_may_miss_its_empty_line() -> None:
    assert len(read(said("a"), STOP.strip() + b"\n")) == 2


def test_an_empty_body_is_a_failure() -> None:
    assert isinstance(failure(), EmptyBody)


def test_a_web_page_is_a_failure_that_shows_it_and_is_not_repeated() -> None:
    broken = failure(b"<!doctype html>\n<html>Sign in: please\n\n</html>")

    assert isinstance(broken, NotAStream)
    assert broken.evidence.startswith(b"<!doctype")
    assert not broken.retryable


@pytest.mark.parametrize("body", [b"data: [DONE]\n\n", b": ping\n\n", b"\n\n: x\n\n", b"data:\n\n"])
def test_a_stream_without_chunks_is_a_failure(body: bytes) -> None:
    assert isinstance(failure(body), NoChunks)


@pytest.mark.parametrize("rest", [b"", b"data: [DONE]\n\n", STOP[:-30], b'data: {"choi'])
def test_an_end_without_a_finish_reason_is_a_failure_behind_its_chunks(rest: bytes) -> None:
    reader = EventReader(CompletionEvents())

    assert [chunk.delta for chunk in reader.feed(said("a") + rest)] == [{"content": "a"}]
    with pytest.raises(CutStream):
        list(reader.finish())


@pytest.mark.parametrize("data", [b"{", b"42", b"[]", b"null", b"oops", b"[" * 100_000])
def test_an_event_that_is_no_object_is_a_failure_that_shows_it(data: bytes) -> None:
    broken = failure(said("a") + b"data: " + data + b"\n\n")

    assert isinstance(broken, BrokenChunk)
    assert broken.evidence == data[:2000]


def test_bytes_that_are_not_text_are_a_failure_behind_the_chunks_before() -> None:
    reader = EventReader(CompletionEvents())
    chunks = reader.feed(said("a") + b'data: {"\xff"}\n\n')

    assert next(chunks).delta == {"content": "a"}
    with pytest.raises(InvalidUtf8):
        next(chunks)


@pytest.mark.parametrize(
    ("body", "sentence", "retryable"),
    [
        (event({"error": {"message": "Slow down", "code": 429}}), "(Slow down)", True),
        (event({"error": {"message": "Busy", "type": "overloaded_error"}}), "(Busy)", True),
        (event({"error": {"message": "No", "code": "context_length_exceeded"}}), "(No)", False),
        (event({"error": "out of memory"}), "(out of memory)", False),
        (event({"object": "error", "message": "Bad", "code": 400}), "(Bad)", False),
        (b"event: error\n" + event({"message": "Gone", "code": "503"}), "(Gone)", True),
        (b"event: error\ndata: plain words\n\n", "(plain words)", False),
        (b'{"error": {"message": "not streamed", "code": 500}}', "(not streamed)", True),
    ],
)
def test_an_error_of_the_provider_is_a_failure_in_its_words(
    body: bytes, sentence: str, retryable: bool
) -> None:
    reported = failure(body)

    assert isinstance(reported, ProviderError)
    assert str(reported) == f"The model server reported an error. {sentence}"
    assert reported.retryable is retryable


@given(json_values)
def test_fields_of_odd_shapes_are_not_read(value: Any) -> None:
    keys = ("choices", "usage", "model", "id", "created")
    choice = {"delta": value, "finish_reason": value, "index": 0}
    odd = [event({"choices": [choice]}), event(dict.fromkeys(keys, value))]

    for chunk in read(*odd, STOP):
        assert isinstance(chunk.delta, dict)
        assert all(isinstance(t, str | None) for t in (chunk.finish_reason, chunk.model, chunk.id))


def document(**more: Any) -> bytes:
    message = {"role": "assistant", "content": "forty-two"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice], **more}).encode()


def test_an_answer_that_was_not_streamed_is_read_at_once() -> None:
    body = document(id="c1", model="m", usage={"total_tokens": 3})

    assert read(body[:20], body[20:]) == [
        Chunk({"role": "assistant", "content": "forty-two"}, "stop", {"total_tokens": 3}, "m", "c1")
    ]


def test_an_answer_that_was_not_streamed_may_follow_blank_lines_and_be_long() -> None:
    assert len(read(b"\n\n", b"  \n", document(padding="x" * 5000))) == 1


def test_half_of_an_answer_that_was_not_streamed_is_cut() -> None:
    assert isinstance(failure(document()[:-5]), CutStream)


@pytest.mark.parametrize("body", [b"{}", b'{"choices": []}', b'{"choices": [{"message": 1}]}'])
def test_another_document_is_no_answer(body: bytes) -> None:
    assert isinstance(failure(body), NotAStream)


def test_what_follows_the_end_in_the_same_piece_is_not_read() -> None:
    broken = b"data: \xff\n\n"

    assert read(STOP + b"data: [DONE]\n\n" + broken) == read(STOP)
