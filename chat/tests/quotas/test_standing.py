"""A person sees each limit, what of it is used, and is told when little is left."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import QuotaRule
from chat.tests.quotas.conftest import Limit, Send
from tests.redis_server import RedisServer
from tracing.models import Metric

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
Kind = QuotaRule.Kind


def used(user: User, tokens: int) -> None:
    day = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    Metric.objects.create(
        period="day",
        kind="user",
        name=str(user.pk),
        hour=day,
        count=1,
        tokens_out=tokens,
        cost=Decimal("0.25"),
    )


def page(client: Client, user: User, path: str = "/settings/") -> str:
    client.force_login(user)
    return " ".join(client.get(path).content.decode().split())


def test_without_limits_the_page_says_so(client: Client, user: User) -> None:
    assert "Nobody has set limits for you." in page(client, user)


def test_each_limit_has_its_figures_and_where_it_comes_from(
    client: Client, user: User, limit: Limit
) -> None:
    used(user, 500)
    team = Group.objects.create(name="Team <b>")
    team.user_set.add(user)
    limit(Kind.TOKENS_DAY, 10_000)
    limit(Kind.COST_MONTH, 1_000_000, group=team)
    limit(Kind.STORED_BYTES, 5_000_000, user=user)
    html = page(client, user)
    assert "500 of 10,000" in html and "for everybody" in html
    assert "$0.25 of $1.00" in html and "for the group Team &lt;b&gt;" in html
    assert "0 B of 5.0 MB" in html and "for you" in html
    assert "begins anew at" in html
    assert html.count("Stored") == 1


@pytest.mark.parametrize(
    ("tokens", "text"),
    [(799, ""), (800, "80 % of this limit is used."), (1_000, "this limit is reached.")],
)
def test_from_four_fifths_on_there_is_a_notice(
    client: Client, user: User, limit: Limit, tokens: int, text: str
) -> None:
    used(user, tokens)
    limit(Kind.TOKENS_DAY, 1_000)
    html = page(client, user)
    assert text in html
    assert ("Tokens a day:" in page(client, user, "/")) == bool(text)


def test_the_notice_of_the_chat_costs_nobody_without_limits_a_statement(
    client: Client, user: User, limit: Limit
) -> None:
    page(client, user, "/")
    with CaptureQueriesContext(connection) as without:
        page(client, user, "/")
    limit(Kind.TOKENS_DAY, 1_000)
    page(client, user, "/")
    with CaptureQueriesContext(connection) as with_limit:
        page(client, user, "/")
    assert len(with_limit) <= len(without) + 1


def test_refusals_and_groups_are_at_metrics(
    admin_client: Client, user: User, limit: Limit, send: Send, redis_server: RedisServer
) -> None:
    Group.objects.create(name="Team").user_set.add(user)
    used(user, 500)
    limit(Kind.TURNS_MINUTE, 0, user=user)
    for _ in range(2):
        with pytest.raises(Exception, match="Turns a minute"):
            send(user)
    text = admin_client.get("/metrics").content.decode()
    assert 'roundtrip_limit_refusals_total{limit="turns_minute"} 2.0' in text
    assert 'roundtrip_group_tokens_month{group="Team"} 500.0' in text
