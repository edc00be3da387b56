"""Turns beyond a limit are refused; counted by Redis, and by the database while Redis is down."""

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from chat.models import QuotaRule, Turn
from chat.quotas import admission
from chat.quotas.errors import QuotaExceeded
from chat.tests.builders import a_user
from chat.tests.quotas.conftest import Limit, Send
from tests.redis_server import RedisServer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
Kind = QuotaRule.Kind


@pytest.fixture(params=["redis", "database"], autouse=True)
def counted_by(request: pytest.FixtureRequest) -> None:
    """A test without the server runs as while Redis is down."""
    if request.param == "redis":
        request.getfixturevalue("redis_server")


@pytest.fixture(autouse=True)
def figures_are_read_before_each_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "FRESH", timedelta(seconds=-1))


def end(*turns: Turn) -> None:
    Turn.objects.filter(pk__in=[turn.pk for turn in turns]).update(status="done")


def test_a_turn_more_than_a_minute_may_have_is_refused(
    user: User, limit: Limit, send: Send
) -> None:
    limit(Kind.TURNS_MINUTE, 2)
    first = send(user)
    end(first, send(user))
    with pytest.raises(QuotaExceeded) as refused:
        send(user)
    error = refused.value
    assert (error.limit, error.amount, error.left) == (Kind.TURNS_MINUTE, 2, 0)
    assert error.opens_at is not None
    assert abs(error.opens_at - first.created - timedelta(minutes=1)) < timedelta(seconds=1)
    assert error.retry_after is not None and 50 < error.retry_after <= 60
    assert Turn.objects.count() == 2


def test_an_open_turn_more_is_refused_until_one_ends(user: User, limit: Limit, send: Send) -> None:
    limit(Kind.OPEN_TURNS, 1)
    turn = send(user)
    with pytest.raises(QuotaExceeded, match="when one of your answers has ended"):
        send(user)
    end(turn)
    assert send(user).pk


def test_the_same_message_once_more_is_neither_counted_nor_refused(
    user: User, limit: Limit, send: Send
) -> None:
    limit(Kind.TURNS_MINUTE, 1)
    turn = send(user, "a key")
    assert send(user, "a key").pk == turn.pk


def test_one_persons_turns_are_not_anothers(user: User, limit: Limit, send: Send) -> None:
    limit(Kind.TURNS_MINUTE, 1)
    send(user)
    assert send(a_user("ben")).pk


def test_a_limit_of_zero_refuses_everything_and_names_who_can_change_it(
    user: User, limit: Limit, send: Send
) -> None:
    limit(Kind.TURNS_MINUTE, 0)
    with pytest.raises(QuotaExceeded, match="An admin can raise it"):
        send(user)


def test_a_message_that_is_not_stored_is_not_counted(user: User, limit: Limit) -> None:
    limit(Kind.TURNS_MINUTE, 1)
    admission.admit_turns(user, [str(uuid.uuid4())]).take_back()
    assert admission.admit_turns(user, [str(uuid.uuid4())])


def test_a_call_without_a_turn_is_open_until_it_ends(
    user: User, limit: Limit, redis_server: RedisServer
) -> None:
    limit(Kind.OPEN_TURNS, 1)
    admitted = admission.admit_turn(user)
    with pytest.raises(QuotaExceeded):
        admission.admit_turn(user)
    admitted.end()
    assert admission.admit_turn(user)
