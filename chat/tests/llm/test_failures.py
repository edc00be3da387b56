import json
from datetime import UTC, datetime

import pytest

from chat.llm import errors
from chat.llm.errors import ConnectFailed, InvalidUtf8, ProviderFailure, Stalled
from chat.llm.failures import provider_error, retry_after, status_failure
from limits.models import MAX_FAILURE_EVIDENCE_BYTES

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def all_failures() -> list[type[ProviderFailure]]:
    return [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, ProviderFailure)
    ]


def test_the_docstring_draws_every_failure() -> None:
    assert errors.__doc__
    for kind in all_failures():
        assert f" {kind.__name__} " in errors.__doc__


def test_a_failure_is_a_sentence_and_keeps_what_arrived() -> None:
    failure = ConnectFailed("connection refused", evidence=b"x" * 5000)

    assert str(failure) == "The model server could not be reached. (connection refused)"
    assert len(failure.evidence) == MAX_FAILURE_EVIDENCE_BYTES


def test_what_a_provider_wrote_is_quoted_in_part() -> None:
    assert len(str(ConnectFailed("x" * 5000))) < 400


def test_a_stall_says_how_long() -> None:
    assert "60 seconds" in str(Stalled(60.0))


def test_bad_bytes_say_where() -> None:
    assert "byte 17" in str(InvalidUtf8(17, evidence=b""))


@pytest.mark.parametrize(
    ("status", "retryable", "sentence"),
    [
        (400, False, "The model server did not accept the request: Bad Request (HTTP 400)."),
        (401, False, "The model server rejected the API key (HTTP 401)."),
        (404, False, "The model server does not know this model or address (HTTP 404)."),
        (
            429,
            True,
            "The model server received too many requests (HTTP 429).",
        ),
        (500, True, "The model server reported an internal error (HTTP 500)."),
        (502, True, "The model server reported an internal error (HTTP 502)."),
        (503, True, "The model server reported an internal error (HTTP 503)."),
        (499, False, "The model server did not accept the request: unknown status (HTTP 499)."),
    ],
)
def test_a_status_says_what_is_wrong_and_whether_to_try_again(
    status: int, retryable: bool, sentence: str
) -> None:
    failure = status_failure(status, {}, b"<html>")

    assert (str(failure), failure.retryable) == (sentence, retryable)


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "No credit"}}',
        b'{"error": "No credit"}',
        b'{"message": "No credit"}',
        b'{"detail": "No credit"}',
    ],
)
def test_the_provider_s_words_are_quoted(body: bytes) -> None:
    failure = status_failure(402, {}, body)

    assert str(failure).endswith("(HTTP 402). (No credit)")
    assert failure.evidence == body


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b'{"error": {"message": 7}}', b"[" * 99_999])
def test_a_body_that_says_nothing_is_kept_and_not_quoted(body: bytes) -> None:
    failure = status_failure(500, {}, body)

    assert str(failure).endswith("(HTTP 500).")
    assert failure.evidence == body[:MAX_FAILURE_EVIDENCE_BYTES]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_the_wait_that_a_server_asks_for_is_in_seconds(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, NOW) == seconds
    assert status_failure(429, headers, b"", NOW).retry_after == seconds


OUT_OF_QUOTA = {
    "openai": (429, {"error": {"message": "m", "type": "insufficient_quota", "code": None}}),
    "openai's code": (429, {"error": {"message": "m", "code": "insufficient_quota"}}),
    "openai's limit": (400, {"error": {"message": "m", "code": "billing_hard_limit_reached"}}),
    "anthropic": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the Anthropic API.",
            },
        },
    ),
    "deepseek": (402, {"error": {"message": "Insufficient Balance", "code": "invalid_request"}}),
    "a flat body": (429, {"code": "insufficient_balance", "message": "m"}),
    "a text": (403, {"error": "You have run out of credits"}),
    "a web page": (402, "<html>"),
}


@pytest.mark.parametrize(("status", "body"), OUT_OF_QUOTA.values(), ids=OUT_OF_QUOTA)
def test_an_account_without_credit_is_not_asked_again_and_told_as_that(
    status: int, body: object
) -> None:
    failure = status_failure(status, {"retry-after": "1"}, json.dumps(body).encode())
    assert not failure.retryable
    assert str(failure).startswith("The account at the model's provider has no credit or quota")
    assert f"(HTTP {status})." in str(failure)


@pytest.mark.parametrize(
    "error", [OUT_OF_QUOTA["openai"][1], {"code": 402}, "Insufficient Balance"]
)
def test_so_is_one_whose_stream_says_so(error: object) -> None:
    failure = provider_error(error, b"")
    assert not failure.retryable
    assert str(failure).startswith("The account at the model's provider has no credit or quota")


RATE_LIMITS: list[dict[str, object]] = [
    {"message": "Rate limit reached for gpt-4.1", "code": "rate_limit_exceeded"},
    {"message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED", "code": 429},
    {},
]


@pytest.mark.parametrize("error", RATE_LIMITS)
def test_a_rate_limit_is_still_waited_for(error: dict[str, object]) -> None:
    failure = status_failure(429, {}, json.dumps({"error": error}).encode())
    assert failure.retryable
    assert "too many requests" in str(failure)
