import json
from typing import Any

import pytest
from hypothesis import given

from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, Problem, ProblemKind, ReadProblem, ReportedError
from wire.response import ResponseReader
from wire.tests.values import json_values

STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'


def event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def read(*pieces: bytes) -> list[Chunk]:
    """The chunks of a whole response."""
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
    reader = ResponseReader(CompletionEvents())
    items = [item for piece in pieces for item in reader.feed(piece)] + reader.finish()
    assert not reader.problem or items[-1] is reader.problem
    return [item for item in items if isinstance(item, Chunk)], reader.problem


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
    reader = ResponseReader(CompletionEvents())

    assert reader.feed(STOP + b"data: [DONE]\n\ndata: nonsense\n\n")
    assert reader.done
    assert reader.finish() == []


@pytest.mark.parametrize("delta", [None, [], "x"])
def test_a_delta_that_is_no_object_is_empty(delta: Any) -> None:
    assert read(event({"choices": [{"delta": delta, "finish_reason": "stop"}]}))[0].delta == {}


@pytest.mark.parametrize("choices", [None, {}, [None], [{"index": 1, "delta": {"content": "x"}}]])
def test_choices_that_were_not_asked_for_are_not_read(choices: Any) -> None:
    assert read(event({"choices": choices}), STOP)[0] == Chunk({})


def test_the_last_chunk_may_miss_its_empty_line() -> None:
    assert len(read(said("a"), STOP.strip() + b"\n")) == 2


def test_an_empty_body_is_a_problem() -> None:
    assert problem_of() == Problem(ProblemKind.EMPTY, 0, b"")


def test_a_web_page_is_a_problem_that_shows_it() -> None:
    page = b"<!doctype html>\n<html>Sign in: please\n\n</html>"

    assert problem_of(page) == Problem(ProblemKind.NOT_A_STREAM, 0, page)


@pytest.mark.parametrize("body", [b"data: [DONE]\n\n", b": ping\n\n", b"\n\n: x\n\n", b"data:\n\n"])
def test_a_stream_without_chunks_is_a_problem(body: bytes) -> None:
    assert kind_of(body) is ProblemKind.NO_CHUNKS


@pytest.mark.parametrize("rest", [b"", b"data: [DONE]\n\n", STOP[:-30], b'data: {"choi'])
def test_an_end_without_a_finish_reason_is_a_problem_behind_its_chunks(rest: bytes) -> None:
    chunks, problem = read_all(body := said("a") + rest)

    assert [chunk.delta for chunk in chunks] == [{"content": "a"}]
    assert problem == Problem(ProblemKind.CUT, len(body), said("a")[6:-2])


@pytest.mark.parametrize("data", [b"{", b"42", b"[]", b"null", b"oops", b"[" * 100_000])
def test_an_event_that_is_no_object_is_a_problem_that_shows_it(data: bytes) -> None:
    problem = problem_of(said("a") + b"data: " + data + b"\n\n")

    assert problem == Problem(ProblemKind.NOT_AN_OBJECT, len(said("a")), data)


def test_bytes_that_are_not_text_are_a_problem_behind_the_chunks_before() -> None:
    line = b'data: {"\xff"}'
    chunks, problem = read_all(said("a") + line + b"\n\n" + said("b"))

    assert [chunk.delta for chunk in chunks] == [{"content": "a"}]
    assert problem == Problem(ProblemKind.INVALID_UTF8, len(said("a")) + 8, line)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (event({"error": {"message": "Slow down"}}), {"error": {"message": "Slow down"}}),
        (event({"object": "error", "message": "Bad"}), {"object": "error", "message": "Bad"}),
        (b"event: error\n" + event({"message": "Gone"}), {"message": "Gone"}),
        (b"event: error\ndata: plain words\n\n", "plain words"),
        (b'{"error": {"code": 500}}', {"error": {"code": 500}}),
    ],
)
def test_an_error_of_the_provider_is_reported_as_it_came(body: bytes, error: Any) -> None:
    problem = problem_of(body)

    assert isinstance(problem, ReportedError)
    assert problem.error == error


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
    assert kind_of(document()[:-5]) is ProblemKind.CUT


@pytest.mark.parametrize(
    "body", [b"[]", b"[error", b"{}", b'{"choices": []}', b'{"choices": [{"message": 1}]}']
)
def test_another_document_is_no_answer(body: bytes) -> None:
    assert kind_of(body) is ProblemKind.NOT_A_STREAM


def test_what_follows_the_end_in_the_same_piece_is_not_read() -> None:
    broken = b"data: \xff\n\n"

    assert read(STOP + b"data: [DONE]\n\n" + broken) == read(STOP)
