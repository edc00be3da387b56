"""50 messages at once, with Redis and without: no limit is exceeded by more than a turn."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import QuotaRule, Turn
from chat.quotas import rules
from chat.quotas.errors import QuotaExceeded
from chat.tests.quotas.conftest import Limit
from tracing.models import Metric

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True), pytest.mark.long]
Kind = QuotaRule.Kind
MESSAGES = 50
TURN_TOKENS = 1_000


@pytest.fixture(params=["redis", "database"], autouse=True)
def counted_by(request: pytest.FixtureRequest) -> None:
    if request.param == "redis":
        request.getfixturevalue("redis_server")


def send_at_once(user: User) -> int:
    """How many of them were admitted."""
    with ThreadPoolExecutor(MESSAGES) as threads:
        return sum(threads.map(lambda _: was_sent(user), range(MESSAGES)))


def was_sent(user: User) -> bool:
    try:
        send_message(user, NewMessage(str(uuid.uuid4()), "hello"))
    except QuotaExceeded:
        return False
    finally:
        connection.close()
    return True


def used_before(user: User, turns: int) -> None:
    """Turns of this day that are counted already, each of `TURN_TOKENS`."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    Metric.objects.create(
        period="day",
        kind="user",
        name=str(user.pk),
        hour=today,
        count=turns,
        tokens_in=turns * TURN_TOKENS,
        cost=turns,
    )


@pytest.mark.parametrize("kind", [Kind.TURNS_MINUTE, Kind.OPEN_TURNS])
def test_turns_are_never_more_than_the_limit(user: User, limit: Limit, kind: str) -> None:
    limit(kind, 7)
    assert send_at_once(user) == 7
    assert Turn.objects.count() == 7


@pytest.mark.parametrize(
    ("kind", "amount"),
    [
        (Kind.TOKENS_DAY, 15 * TURN_TOKENS),
        (Kind.TOKENS_MONTH, 15 * TURN_TOKENS),
        (Kind.COST_DAY, 15_000_000),
        (Kind.COST_MONTH, 15_000_000),
    ],
)
def test_what_turns_are_thought_to_use_is_within_the_limit(
    user: User, limit: Limit, kind: str, amount: int
) -> None:
    used_before(user, 10)
    limit(kind, amount)
    assert send_at_once(user) == 5


def test_a_rule_that_is_removed_while_50_are_sent_lets_the_others_pass(
    user: User, limit: Limit
) -> None:
    rule = limit(Kind.OPEN_TURNS, 0)
    assert send_at_once(user) == 0
    rule.delete()
    rules.forget()
    assert send_at_once(user) == MESSAGES
