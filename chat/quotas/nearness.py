"""Telling webhooks that most of a limit of tokens or costs is used, as something uses it."""

from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import QuotaRule, Webhook
from chat.quotas import rules, standing
from chat.webhooks import outbox


def tell(user_id: int) -> None:
    """Tells once for each limit and window of it. Without a limit of tokens or costs, and without a
    webhook that listens, nothing is read."""
    if rules.amounts_of(user_id).keys().isdisjoint(QuotaRule.CONSUMPTION):
        return
    if not outbox.is_told(user_id, Webhook.Event.LIMIT_NEAR):
        return
    user = User.objects.get(pk=user_id)
    for one in standing.nearly_reached(user, timezone.now()):
        outbox.limit_near(user_id, one.kind, one.used, one.amount, one.opens_at)
