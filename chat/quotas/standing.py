"""What a person has used of each limit, for pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import redis
from django.contrib.auth.models import Group, User
from django.utils.translation import gettext

from chat.models import QuotaRule
from chat.quotas import consumption, counters, kinds, rules
from chat.quotas.figures import free_at
from chat.quotas.kinds import Kind
from chat.quotas.rules import AppliedRule

# The share of a limit from which its person is told.
NEARLY = 0.8
_OF_TURNS = (Kind.TURNS_MINUTE, Kind.OPEN_TURNS, *QuotaRule.CONSUMPTION)


@dataclass(frozen=True)
class Standing:
    """One limit of a person. `used` and `amount` in the unit of the kind; `opens_at`: when it opens
    again or begins anew, None if that depends on what people do."""

    kind: str
    used: int
    amount: int
    opens_at: datetime | None
    scope: str
    group: str = ""

    @property
    def label(self) -> str:
        return str(QuotaRule.Kind(self.kind).label)

    @property
    def used_text(self) -> str:
        return kinds.text(self.kind, self.used)

    @property
    def amount_text(self) -> str:
        return kinds.text(self.kind, self.amount)

    @property
    def share(self) -> float:
        """0 to 1; more if a turn used more than was left."""
        return self.used / self.amount if self.amount else 1.0

    @property
    def percent(self) -> int:
        return min(100, int(100 * self.share))

    @property
    def is_reached(self) -> bool:
        return self.used >= self.amount

    @property
    def is_near(self) -> bool:
        return self.share >= NEARLY and not self.is_reached

    @property
    def source(self) -> str:
        if self.scope == QuotaRule.Scope.GROUP:
            return gettext("for the group %(group)s") % {"group": self.group}
        is_own = self.scope == QuotaRule.Scope.PERSON
        return gettext("for you") if is_own else gettext("for everybody")


def of(user: User, now: datetime, stored_bytes: int = 0) -> list[Standing]:
    """The limits of a person in the order of the kinds; no statement without rules."""
    applied = [one for one in rules.applied_to(user.pk) if one.amount is not None]
    if not applied:
        return []
    used = _used(user, now, {one.kind for one in applied}) | {Kind.STORED_BYTES: stored_bytes}
    groups = Group.objects.in_bulk({one.group for one in applied if one.group is not None})
    return [_standing(one, used, now, groups) for one in applied]


def nearly_reached(user: User, now: datetime) -> list[Standing]:
    """Limits of tokens and costs of which `NEARLY` is used, or all; no statement without one."""
    kinds_of_models = frozenset(QuotaRule.CONSUMPTION)
    if kinds_of_models.isdisjoint(rules.amounts_of(user.pk)):
        return []
    return [one for one in of(user, now) if one.kind in kinds_of_models and one.share >= NEARLY]


def _standing(
    rule: AppliedRule, used: Mapping[str, object], now: datetime, groups: Mapping[int, Group]
) -> Standing:
    assert rule.amount is not None
    figure = used[rule.kind]
    opens_at = kinds.opens_at(rule.kind, now)
    if isinstance(figure, tuple):  # moments of the last minute
        is_reached = len(figure) >= rule.amount > 0
        opens_at = free_at(figure, rule.amount, 1) if is_reached else None
        figure = len(figure)
    assert isinstance(figure, int)
    group = groups.get(rule.group or 0)
    name = group.name if group else ""
    return Standing(rule.kind, figure, rule.amount, opens_at, rule.scope, name)


def _used(user: User, now: datetime, limited: set[str]) -> dict[str, object]:
    used: dict[str, object] = {}
    if not limited.isdisjoint(_OF_TURNS):
        figures = consumption.read(user.pk, now).figures
        used = {kind: figures.used(kind) for kind in _OF_TURNS}
        used[Kind.TURNS_MINUTE] = figures.minute
    if Kind.CALLS_MINUTE in limited:
        calls = consumption.calls_since(user.pk, now - kinds.MINUTE)
        used[Kind.CALLS_MINUTE] = tuple(sorted(calls.values()))
    if Kind.UPLOADS_DAY in limited:
        used[Kind.UPLOADS_DAY] = _uploads(user.pk, kinds.begin_of_day(now))
    return used


def _uploads(user_id: int, since: datetime) -> int:
    stored = partial(consumption.uploads_since, user_id, since)
    try:
        count = counters.count(user_id, Kind.UPLOADS_DAY, since)
    except redis.RedisError:
        count = None
    return len(stored()) if count is None else count
