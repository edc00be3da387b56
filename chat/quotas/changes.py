"""Making, changing and removing rules; each with a row in the audit log."""

import uuid
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from chat.models import QuotaRule
from chat.quotas import kinds, rules
from limits.quotas import MAX_QUOTA, MAX_QUOTA_RULES

Scope = QuotaRule.Scope


def set_rule(
    admin: User, kind: str, amount: int | None, *, group: Group | None = None, user: User | None
) -> QuotaRule:
    """Gives everybody, a group or a person this limit, in place of the one before; None is no
    limit. Raises `Rejected`."""
    if kind not in QuotaRule.Kind.values:
        raise Rejected(gettext("There is no such limit."))
    if amount is not None and not 0 <= amount <= MAX_QUOTA:
        raise Rejected(
            gettext("A limit is a number from 0 to %(most)s.")
            % {"most": kinds.text(kind, MAX_QUOTA)}
        )
    if group is not None and user is not None:
        raise Rejected(gettext("A limit is one of a group or of a person."))
    scope = Scope.PERSON if user else Scope.GROUP if group else Scope.EVERYBODY
    with transaction.atomic():
        place: dict[str, Any] = {"scope": scope, "kind": kind, "group": group, "user": user}
        before = QuotaRule.objects.filter(**place).values_list("amount", flat=True).first()
        columns = {"amount": amount, "changed": timezone.now()}
        rule, is_new = QuotaRule.objects.update_or_create(**place, defaults=columns)
        if is_new and QuotaRule.objects.count() > MAX_QUOTA_RULES:
            raise Rejected(
                gettext("There are %(most)s limits already, which is as many as can be.")
                % {"most": f"{MAX_QUOTA_RULES:,}"}
            )
        _record(Action.LIMIT_SET, admin, rule, amount=amount, before=None if is_new else before)
    rules.forget()
    return rule


def remove_rule(admin: User, public_id: uuid.UUID) -> QuotaRule | None:
    """Takes a limit away; None if it is gone already, as with its group."""
    with transaction.atomic():
        found = QuotaRule.objects.filter(public_id=public_id).select_related("group", "user")
        rule = found.first()
        if rule is None or not QuotaRule.objects.filter(pk=rule.pk).delete()[0]:
            return None
        _record(Action.LIMIT_REMOVED, admin, rule, before=rule.amount)
    rules.forget()
    return rule


def _record(action: Action, admin: User, rule: QuotaRule, **amounts: Any) -> None:
    detail: dict[str, Any] = {"scope": rule.scope, "kind": rule.kind, **amounts}
    record(action, admin, rule, target_name=rule.subject, **detail)
