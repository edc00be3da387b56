from typing import Any

import pytest

from chat.llm.errors import (
    BrokenChunk,
    CutStream,
    EmptyBody,
    InvalidUtf8,
    NoChunks,
    NotAStream,
    ProviderError,
    StreamFailure,
)
from chat.llm.stream_failures import stream_failure
from wire.chunks import Problem, ProblemKind, ReportedError


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        (ProblemKind.EMPTY, EmptyBody),
        (ProblemKind.NOT_A_STREAM, NotAStream),
        (ProblemKind.NO_CHUNKS, NoChunks),
        (ProblemKind.CUT, CutStream),
        (ProblemKind.NOT_AN_OBJECT, BrokenChunk),
        (ProblemKind.INVALID_UTF8, InvalidUtf8),
    ],
)
def test_a_problem_is_a_failure_that_shows_its_evidence(
    kind: ProblemKind, failure: type[StreamFailure]
) -> None:
    raised = stream_failure(Problem(kind, 3, b"<html>" * 1000))
    assert type(raised) is failure
    assert raised.evidence == (b"<html>" * 1000)[:2000]


def test_every_problem_is_a_failure() -> None:
    assert all(stream_failure(Problem(kind, 0, b"")) for kind in ProblemKind)


def test_bytes_that_are_no_text_keep_their_offset() -> None:
    raised = stream_failure(Problem(ProblemKind.INVALID_UTF8, 16, b"data: b\xff"))
    assert isinstance(raised, InvalidUtf8)
    assert raised.offset == 16


def test_a_web_page_is_not_asked_for_again() -> None:
    assert not stream_failure(Problem(ProblemKind.NOT_A_STREAM, 0, b"<html>")).retryable


@pytest.mark.parametrize(
    ("error", "sentence", "retryable"),
    [
        ({"error": {"message": "Slow down", "code": 429}}, "(Slow down)", True),
        ({"error": {"message": "Busy", "type": "overloaded_error"}}, "(Busy)", True),
        ({"error": {"message": "No", "code": "context_length_exceeded"}}, "(No)", False),
        ({"error": "out of memory"}, "(out of memory)", False),
        ({"object": "error", "message": "Bad", "code": 400}, "(Bad)", False),
        ({"message": "Gone", "code": "503"}, "(Gone)", True),
        ("plain words", "(plain words)", False),
        ({"error": {"message": "not streamed", "code": 500}}, "(not streamed)", True),
        ({"type": "error", "error": {"type": "api_error", "message": "Oh"}}, "(Oh)", True),
        (
            {"type": "error", "error": {"type": "invalid_request_error", "message": "Oh"}},
            "(Oh)",
            False,
        ),
    ],
)
def test_an_error_of_the_provider_is_a_failure_in_its_words(
    error: Any, sentence: str, retryable: bool
) -> None:
    reported = stream_failure(ReportedError(error, 0, b""))

    assert isinstance(reported, ProviderError)
    assert str(reported) == f"The model server reported an error. {sentence}"
    assert reported.retryable is retryable
