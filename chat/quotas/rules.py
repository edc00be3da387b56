"""Which rule counts for a person: the person's own, else the most generous one of the groups that
the person is in, else that of everybody.

All rules are kept in the process for `CACHE_S`: a message costs no statement for them. A change is
seen at once where it is made, and elsewhere within that time.
"""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from chat.models import QuotaRule
from limits.quotas import MAX_RULE_AGE_S, MAX_RULE_MEMBERS

Scope = QuotaRule.Scope
# By kind; None: no limit.
Amounts = Mapping[str, int | None]


@dataclass(frozen=True)
class AppliedRule:
    """The rule that counts for a person. `amount` in the unit of the kind, None: no limit."""

    kind: str
    amount: int | None
    scope: str
    group: int | None = None


@dataclass
class _Rules:
    everybody: dict[str, int | None] = field(default_factory=dict)
    groups: dict[int, dict[str, int | None]] = field(default_factory=lambda: defaultdict(dict))
    people: dict[int, dict[str, int | None]] = field(default_factory=lambda: defaultdict(dict))
    at: float = 0.0
    # The groups with rules that a person is in.
    memberships: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.everybody or self.groups or self.people)


_known: _Rules | None = None


def forget() -> None:
    """The next question reads the rules again."""
    global _known
    _known = None


def amounts_of(user_id: int) -> Mapping[str, int]:
    """The limits of a person by kind; a kind without a limit is left out."""
    rules = _rules()
    if rules.is_empty:
        return {}
    applied = (_applied(rules, user_id, kind) for kind in QuotaRule.Kind.values)
    return {one.kind: one.amount for one in applied if one and one.amount is not None}


def applied_to(user_id: int) -> list[AppliedRule]:
    """The rules that count for a person, those without a limit too, in the order of the kinds."""
    rules = _rules()
    applied = (_applied(rules, user_id, kind) for kind in QuotaRule.Kind.values)
    return [one for one in applied if one is not None]


def amount_of(user_id: int, kind: str) -> AppliedRule | None:
    """The rule of this kind that counts for a person."""
    rules = _rules()
    return None if rules.is_empty else _applied(rules, user_id, kind)


def _applied(rules: _Rules, user_id: int, kind: str) -> AppliedRule | None:
    own = rules.people.get(user_id)
    if own is not None and kind in own:
        return AppliedRule(kind, own[kind], Scope.PERSON)
    of_groups = [
        AppliedRule(kind, rules.groups[group][kind], Scope.GROUP, group)
        for group in _groups_of(rules, user_id)
        if kind in rules.groups[group]
    ]
    if of_groups:
        return max(of_groups, key=lambda one: (one.amount is None, one.amount or 0))
    if kind in rules.everybody:
        return AppliedRule(kind, rules.everybody[kind], Scope.EVERYBODY)
    return None


def _groups_of(rules: _Rules, user_id: int) -> tuple[int, ...]:
    if not rules.groups:
        return ()
    if user_id not in rules.memberships:
        if len(rules.memberships) >= MAX_RULE_MEMBERS:
            rules.memberships.clear()
        rows = User.groups.through.objects.filter(user=user_id, group__in=list(rules.groups))
        rules.memberships[user_id] = tuple(rows.values_list("group_id", flat=True))
    return rules.memberships[user_id]


def _rules() -> _Rules:
    global _known
    known = _known
    if known is None or time.monotonic() - known.at > MAX_RULE_AGE_S:
        known = _known = _read()
    return known


def _read() -> _Rules:
    rules = _Rules(at=time.monotonic())
    rows = QuotaRule.objects.values_list("scope", "group_id", "user_id", "kind", "amount")
    for scope, group, user, kind, amount in rows:
        if scope == Scope.PERSON and user is not None:
            rules.people[user][kind] = amount
        elif scope == Scope.GROUP and group is not None:
            rules.groups[group][kind] = amount
        else:
            rules.everybody[kind] = amount
    return rules
