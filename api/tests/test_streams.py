"""Event streams, beside other requests of the same person."""

import threading
from typing import Any

import httpx2
from django.contrib.auth.models import User

from chat.models import LanguageModel
from limits.api import MAX_EVENT_STREAMS
from limits.web import MAX_REQUESTS
from tokens.models import Token


def followed(remote: httpx2.Client, echo: LanguageModel) -> str:
    about = {"text": "hello", "model": str(echo.public_id)}
    return f"/api/turns/{remote.post('/api/turns', json=about).json()['id']}/events"


def test_open_streams_leave_other_requests_and_threads_alone(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    address = followed(remote, echo)
    streams = [remote.stream("GET", address) for _ in range(3 * MAX_REQUESTS)]
    before = threading.active_count()
    lines = [next(stream.__enter__().iter_lines()) for stream in streams]
    assert {line.partition(":")[0] for line in lines} == {"id"}
    assert remote.get("/api/conversations").status_code == 200
    assert threading.active_count() <= before + 1
    for stream in streams:
        stream.__exit__(None, None, None)


def test_a_stream_ends_when_its_token_is_revoked(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    with remote.stream("GET", followed(remote, echo)) as stream:
        lines = stream.iter_lines()
        next(lines)
        Token.objects.get().revoke()
        assert not [line for line in lines if line.startswith("event: turn")]


def test_beyond_their_limit_streams_are_refused(
    remote: httpx2.Client, echo: LanguageModel, owner: User, monkeypatch: Any
) -> None:
    from api.rest import event_stream

    monkeypatch.setitem(event_stream._open, owner.pk, MAX_EVENT_STREAMS)
    answer = remote.get(followed(remote, echo))
    assert (answer.status_code, answer.json()["limit"]) == (429, "event_streams")
    assert answer.headers["Retry-After"]


def test_a_body_that_is_too_large_is_a_problem(remote: httpx2.Client) -> None:
    answer = remote.post("/api/turns", content=b" " * 5_000_000)
    assert answer.status_code == 413
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_token_may_send_more_than_a_stranger(remote: httpx2.Client) -> None:
    body = b'{"text": "' + b"x" * 100_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    known = remote.post("/api/turns", content=body, headers=headers)
    assert known.status_code == 422  # no model is offered
    remote.headers.pop("Authorization")
    stranger = remote.post("/api/turns", content=body, headers=headers)
    assert stranger.status_code == 401
    assert stranger.json()["type"] == "/api/docs#problem-unauthenticated"
