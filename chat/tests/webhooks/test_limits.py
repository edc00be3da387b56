"""Limits that are nearly used up, and such that are reached, are told once."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.models import LanguageModel, QuotaRule, Turn, Webhook
from chat.quotas import nearness
from chat.quotas.admission import admit_turn
from chat.quotas.errors import QuotaExceeded
from chat.tests.engine.conftest import answer_rings, model, owner, protocol, send, stub
from chat.tests.quotas.conftest import Limit, limit
from chat.tests.quotas.test_standing import used
from chat.tests.webhooks.test_outbox import told
from chat.webhooks import known
from tests.redis_server import RedisServer
from tracing.models import Metric

pytestmark = pytest.mark.postgres

__all__ = ["limit", "model", "owner", "protocol", "send", "stub"]
Kind = QuotaRule.Kind
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


def listen(event: str) -> None:
    Webhook.objects.update(events=[event])
    known.forget()


def test_the_turn_that_comes_near_a_limit_tells_it_and_the_next_does_not(
    webhook: Webhook,
    redis_server: RedisServer,
    owner: User,
    limit: Limit,
    model: Model,
    send: Send,
) -> None:
    listen("limit.near")
    Webhook.objects.update(owner=owner)
    limit(Kind.TOKENS_DAY, 10_000)
    used(owner, 8_000)
    Metric.objects.update(count=1_000)  # by many turns: the next is thought to use little
    for _ in range(2):
        answer_rings(send(model("stub-s7-n40")))
    (event,) = told()
    assert event["type"] == "limit.near"
    about = event["data"]
    assert (about["limit"], about["amount"]) == ("tokens_day", 10_000)
    assert about["used"] > 8_000


def test_below_80_percent_nothing_is_told(webhook: Webhook, ada: User, limit: Limit) -> None:
    listen("limit.near")
    limit(Kind.TOKENS_DAY, 10_000)
    used(ada, 7_999)
    nearness.tell(ada.pk)
    assert told() == []


def test_without_a_webhook_a_limit_that_is_near_costs_no_statement(ada: User, limit: Limit) -> None:
    limit(Kind.TOKENS_DAY, 10_000)
    used(ada, 9_000)
    nearness.tell(ada.pk)  # the rules and the webhooks are known for some seconds
    with CaptureQueriesContext(connection) as queries:
        nearness.tell(ada.pk)
    assert len(queries) == 0


@pytest.mark.parametrize("has_redis", [True, False])
def test_a_call_that_is_refused_is_told_whoever_decides(
    webhook: Webhook, ada: User, limit: Limit, has_redis: bool, request: pytest.FixtureRequest
) -> None:
    if has_redis:
        request.getfixturevalue("redis_server")
    listen("limit.reached")
    limit(Kind.TOKENS_DAY, 10_000)
    used(ada, 10_000)
    for _ in range(2):
        with pytest.raises(QuotaExceeded):
            admit_turn(ada)
    assert [event["data"]["limit"] for event in told()] == ["tokens_day"]
