"""Which rule counts: a person's own, the most generous of the groups, that of everybody."""

import pytest
from django.contrib.auth.models import Group, User

from chat.errors import Rejected
from chat.models import QuotaRule
from chat.quotas import changes, rules
from chat.tests.builders import a_user
from chat.tests.quotas.conftest import Limit

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
Kind = QuotaRule.Kind


@pytest.fixture
def groups(user: User) -> list[Group]:
    """Three, of all of which the person is a member."""
    made = [Group.objects.create(name=name) for name in ("a", "b", "c")]
    user.groups.set(made)
    return made


def amounts(user: User) -> dict[str, int]:
    return dict(rules.amounts_of(user.pk))


def test_without_rules_nothing_is_limited(user: User) -> None:
    assert amounts(user) == {}


def test_of_three_groups_the_most_generous_counts(
    user: User, groups: list[Group], limit: Limit
) -> None:
    limit(Kind.TOKENS_DAY, 900)
    for group, amount in zip(groups, (10, 500, 300), strict=True):
        limit(Kind.TOKENS_DAY, amount, group=group)
    assert amounts(user) == {Kind.TOKENS_DAY: 500}
    assert amounts(a_user("ben")) == {Kind.TOKENS_DAY: 900}


def test_a_group_without_a_limit_is_the_most_generous(
    user: User, groups: list[Group], limit: Limit
) -> None:
    limit(Kind.TOKENS_DAY, 10)
    limit(Kind.TOKENS_DAY, 500, group=groups[0])
    limit(Kind.TOKENS_DAY, None, group=groups[1])
    assert amounts(user) == {}


def test_a_persons_own_counts_before_all_others(
    user: User, groups: list[Group], limit: Limit
) -> None:
    limit(Kind.OPEN_TURNS, 10)
    limit(Kind.OPEN_TURNS, 20, group=groups[0])
    limit(Kind.OPEN_TURNS, 3, user=user)
    assert amounts(user) == {Kind.OPEN_TURNS: 3}


def test_the_rule_of_a_deleted_group_is_gone_with_it(
    user: User, groups: list[Group], limit: Limit
) -> None:
    limit(Kind.OPEN_TURNS, 20, group=groups[0])
    groups[0].delete()
    rules.forget()
    assert amounts(user) == {}


def test_a_person_who_leaves_a_group_leaves_its_limit(
    user: User, groups: list[Group], limit: Limit
) -> None:
    limit(Kind.OPEN_TURNS, 20, group=groups[0])
    assert amounts(user)
    user.groups.clear()
    rules.forget()  # or five seconds later
    assert amounts(user) == {}


@pytest.mark.parametrize("amount", [-1, 10**15 + 1, 2**80])
def test_an_amount_beyond_its_bounds_is_refused(admin_user: User, amount: int) -> None:
    with pytest.raises(Rejected, match="from 0 to"):
        changes.set_rule(admin_user, Kind.TOKENS_DAY, amount, user=None)
    assert not QuotaRule.objects.exists()


def test_the_largest_amount_is_kept(admin_user: User) -> None:
    changes.set_rule(admin_user, Kind.STORED_BYTES, 10**15, user=None)
    assert amounts(admin_user) == {Kind.STORED_BYTES: 10**15}
