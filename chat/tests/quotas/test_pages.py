"""Admins see what people and groups have used, and set limits; each change leaves a row."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from audit.models import Action, Event
from chat.models import QuotaRule
from chat.quotas import rules
from chat.tests.builders import a_user
from tracing.models import Metric

pytestmark = pytest.mark.django_db


def post(client: Client, **fields: Any) -> Any:
    return client.post("/usage/limits", {"scope": "everybody", "kind": "tokens_day", **fields})


def used(user: User, tokens: int) -> None:
    day = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    Metric.objects.create(
        period="day",
        kind="user",
        name=str(user.pk),
        hour=day,
        count=3,
        tokens_in=tokens,
        cost=Decimal("1.5"),
    )


def test_without_usage_and_limits_the_page_says_so(admin_client: Client) -> None:
    html = admin_client.get("/usage/").content.decode()
    assert "Nothing was used yet." in html
    assert "There are no limits" in html


def test_people_and_groups_are_listed_with_what_they_used(admin_client: Client) -> None:
    ann, ben = a_user("ann"), a_user("ben")
    team = Group.objects.create(name="Team")
    team.user_set.set([ann, ben])
    used(ann, 1_234)
    used(ben, 1_000)
    html = admin_client.get("/usage/").content.decode()
    assert html.index(">ann<") < html.index(">ben<")
    assert "1,234" in html and "2,234" in html
    assert "$3.00" in html


def test_a_limit_is_set_changed_and_removed_with_a_row_each(admin_client: Client) -> None:
    post(admin_client, amount="5,000")
    post(admin_client, amount="6000")
    rule = QuotaRule.objects.get()
    assert rule.amount == 6_000
    admin_client.post(f"/usage/limits/{rule.public_id}/remove")
    assert not QuotaRule.objects.exists()
    rows = list(Event.objects.order_by("pk").values_list("action", "detail"))
    detail = {"scope": "everybody", "kind": "tokens_day"}
    assert rows == [
        (Action.LIMIT_SET, {**detail, "amount": 5_000, "before": None}),
        (Action.LIMIT_SET, {**detail, "amount": 6_000, "before": 5_000}),
        (Action.LIMIT_REMOVED, {**detail, "before": 6_000}),
    ]


@pytest.mark.parametrize("amount", ["-1", "1e9", "9" * 30, "five", "1.5", "2 GB", "NaN"])
def test_what_is_no_amount_is_refused(admin_client: Client, amount: str) -> None:
    answer = post(admin_client, amount=amount)
    assert answer.status_code == 422
    assert "Write a number from 0 to" in answer.content.decode()
    assert not QuotaRule.objects.exists()


@pytest.mark.parametrize(
    ("kind", "amount", "expected"),
    [
        ("cost_day", "$1.25", 1_250_000),
        ("cost_month", "0.000001", 1),
        ("stored_bytes", "2.5 GB", 2_500_000_000),
        ("stored_bytes", "0", 0),
        ("tokens_day", "", None),
    ],
)
def test_amounts_are_written_in_the_unit_of_the_limit(
    admin_client: Client, kind: str, amount: str, expected: int | None
) -> None:
    post(admin_client, kind=kind, amount=amount)
    assert QuotaRule.objects.get().amount == expected


def test_a_person_is_named_and_a_group_chosen(admin_client: Client) -> None:
    ann, team = a_user("ann"), Group.objects.create(name="Team")
    post(admin_client, scope="person", person=" ann ", amount="1")
    post(admin_client, scope="group", group=team.pk, amount="2")
    assert set(QuotaRule.objects.values_list("user", "group", "amount")) == {
        (ann.pk, None, 1),
        (None, team.pk, 2),
    }


@pytest.mark.parametrize("fields", [{"scope": "person", "person": "nobody"}, {"scope": "group"}])
def test_a_limit_of_nobody_is_refused(admin_client: Client, fields: dict[str, str]) -> None:
    assert post(admin_client, **fields, amount="1").status_code == 422


def test_a_limit_is_changed_in_the_form_without_rounding(admin_client: Client) -> None:
    post(admin_client, kind="cost_day", amount="1.234567")
    rule = QuotaRule.objects.get()
    html = admin_client.get(f"/usage/?change={rule.public_id}").content.decode()
    assert 'value="1.234567"' in html


def test_one_that_is_gone_is_removed_without_an_error(admin_client: Client) -> None:
    team = Group.objects.create(name="Team")
    post(admin_client, scope="group", group=team.pk, amount="2")
    rule = QuotaRule.objects.get()
    team.delete()
    answer = admin_client.post(f"/usage/limits/{rule.public_id}/remove")
    assert answer.status_code == 302
    assert rules.amounts_of(1) == {}
