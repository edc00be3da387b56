"""What each person and each group has used in a month, those with the most tokens first."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.contrib.auth.models import Group, User
from django.db.models import Sum

from chat.quotas import kinds, rules
from chat.quotas.kinds import Kind
from limits.quotas import MAX_USAGE_PEOPLE
from tracing.models import Metric


@dataclass
class Consumer:
    """A person or a group, `members` its number of people. `tokens_limit` and `cost_limit`: the
    month's, of a person, as text; empty without one."""

    name: str
    turns: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    tokens_limit: str = ""
    cost_limit: str = ""
    members: int = 0
    # Of the month's limit, the one that is used more; None without one.
    percent: int | None = None

    def add(self, other: "Consumer") -> None:
        self.turns += other.turns
        self.tokens += other.tokens
        self.cost += other.cost


def people_and_groups(now: datetime) -> tuple[list[Consumer], list[Consumer]]:
    """Of the month of `now`, in UTC."""
    used = _used_by(kinds.begin_of_month(now))
    order = sorted(used, key=lambda pk: (-used[pk].tokens, -used[pk].turns, pk))
    most = order[:MAX_USAGE_PEOPLE]
    names = dict(User.objects.filter(pk__in=most).values_list("pk", "username"))
    people = []
    for pk in most:
        if pk in names:
            used[pk].name = names[pk]
            _set_limits(used[pk], rules.amounts_of(pk))
            people.append(used[pk])
    return people, _groups(used)


def groups(now: datetime) -> list[Consumer]:
    """The groups alone."""
    return _groups(_used_by(kinds.begin_of_month(now)))


def _used_by(since: datetime) -> dict[int, Consumer]:
    rows = Metric.objects.filter(
        period=Metric.Period.DAY, kind=Metric.Kind.USER, hour__gte=since
    ).values("name")
    sums = rows.annotate(turns=Sum("count"), read=Sum("tokens_in"), wrote=Sum("tokens_out"))
    return {
        int(row["name"]): Consumer("", row["turns"], row["read"] + row["wrote"], row["cost_sum"])
        for row in sums.annotate(cost_sum=Sum("cost"))
        if row["name"].isdigit()
    }


def _groups(used: Mapping[int, Consumer]) -> list[Consumer]:
    """A person in several groups counts in each."""
    members: dict[int, list[int]] = defaultdict(list)
    for group_id, user_id in User.groups.through.objects.values_list("group_id", "user_id"):
        members[group_id].append(user_id)
    groups = []
    for pk, name in Group.objects.values_list("pk", "name"):
        group = Consumer(name, members=len(members[pk]))
        for user_id in members[pk]:
            if user_id in used:
                group.add(used[user_id])
        groups.append(group)
    return sorted(groups, key=lambda one: (-one.tokens, one.name))[:MAX_USAGE_PEOPLE]


def _set_limits(person: Consumer, amounts: Mapping[str, int]) -> None:
    cost = round(person.cost * kinds.MICRODOLLARS)
    shares = []
    for kind, used in ((Kind.TOKENS_MONTH, person.tokens), (Kind.COST_MONTH, cost)):
        amount = amounts.get(kind)
        if amount is None:
            continue
        shares.append(100 * used // amount if amount else 100)
        if kind == Kind.TOKENS_MONTH:
            person.tokens_limit = kinds.text(kind, amount)
        else:
            person.cost_limit = kinds.text(kind, amount)
    person.percent = min(100, max(shares)) if shares else None
