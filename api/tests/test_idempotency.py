"""A key whose first request never ended, because its process died."""

import hashlib
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from api.models import IdempotencyKey
from api.rest import idempotency
from chat.models import Project
from limits.api import MAX_IDEMPOTENT_RUN

pytestmark = pytest.mark.postgres

BODY = b'{"name": "A"}'
REQUEST = hashlib.sha256(b"POST /api/projects " + BODY).hexdigest()


def left_behind(owner: User, *, expired: bool) -> IdempotencyKey:
    began = timezone.now() - (MAX_IDEMPOTENT_RUN if expired else MAX_IDEMPOTENT_RUN / 2)
    return IdempotencyKey.objects.create(user=owner, key="k", request_hash=REQUEST, created=began)


def send(program: Client, body: bytes = BODY) -> Any:
    headers = {"Idempotency-Key": "k"}
    return program.post("/api/projects", body, content_type="application/json", headers=headers)


def test_a_request_that_may_still_run_is_not_done_beside_it(owner: User, program: Client) -> None:
    left_behind(owner, expired=False)
    answer = send(program)
    assert (answer.status_code, answer["Retry-After"]) == (409, "1")
    assert not Project.objects.exists()


def test_one_that_must_be_dead_is_done_again_and_remembered(owner: User, program: Client) -> None:
    left_behind(owner, expired=True)
    first, second = send(program), send(program)
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert first.status_code == 201
    assert second["Idempotency-Replayed"] == "true"
    assert Project.objects.count() == 1


def test_another_request_does_not_take_its_key(owner: User, program: Client) -> None:
    left_behind(owner, expired=True)
    assert send(program, b'{"name": "B"}').status_code == 422
    assert not Project.objects.exists()


def test_whoever_was_overtaken_leaves_the_answer_of_the_next(owner: User, program: Client) -> None:
    """Slow, not dead: its end comes after the key was taken over."""
    row = left_behind(owner, expired=True)
    send(program)
    idempotency._end(row, None)
    assert send(program)["Idempotency-Replayed"] == "true"


def test_of_several_one_takes_it_over(owner: User) -> None:
    left_behind(owner, expired=True)
    winners = [
        one for _ in range(5) if (one := idempotency._begin(owner, "k", REQUEST)) is not None
    ]
    assert len(winners) == 1
