"""What people do with webhooks."""

import base64
import secrets
import uuid
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from chat.models import Webhook, WebhookDelivery
from chat.webhooks import known, outbox
from chat.webhooks.deliveries import DELIVERY, host_of
from jobs import State, ask
from limits.webhooks import MAX_WEBHOOKS

_SECRET_BYTES = 32


def make(user: User, webhook: Webhook) -> Webhook:
    """Stores a new webhook with a new secret. Raises `Rejected` beyond `MAX_WEBHOOKS`."""
    if Webhook.objects.filter(owner=webhook.owner).count() >= MAX_WEBHOOKS:
        raise Rejected(_("There are %(most)s webhooks. Delete one first.") % {"most": MAX_WEBHOOKS})
    webhook.secret = _new_secret()
    webhook.save()
    known.forget()
    _record(Action.WEBHOOK_ADDED, user, webhook, events=webhook.events)
    return webhook


def change(user: User, webhook: Webhook, fields: list[str]) -> None:
    """Stores what a form has changed. Switched on again, it begins anew."""
    if webhook.enabled:
        webhook.problem, webhook.failing_since = "", None
    columns = ("url", "events", "with_content", "enabled", "problem", "failing_since")
    webhook.save(update_fields=columns)
    known.forget()
    _record(Action.WEBHOOK_CHANGED, user, webhook, fields=fields)


def rotate(user: User, webhook: Webhook) -> str:
    """A new secret in place of the old one, which counts no more."""
    secret = webhook.secret = _new_secret()
    webhook.save(update_fields=["secret"])
    _record(Action.WEBHOOK_CHANGED, user, webhook, fields=["secret"])
    return secret


def delete(user: User, webhook: Webhook) -> None:
    _record(Action.WEBHOOK_DELETED, user, webhook)
    webhook.delete()
    known.forget()


def test(webhook: Webhook) -> WebhookDelivery:
    """Sends an event that means nothing."""
    about = {"webhook": str(webhook.public_id)}
    return outbox.store(webhook, Webhook.Event.TEST, f"test:{uuid.uuid4()}", about)


def send_again(delivery: WebhookDelivery) -> bool:
    """Sends what is over once more, with its id. False: it is under way."""
    over = WebhookDelivery.objects.exclude(state__in=[State.ASKED, State.RUNNING])
    return ask(DELIVERY, delivery, among=over, due=timezone.now(), attempts=0)


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def _record(action: Action, user: User, webhook: Webhook, **detail: Any) -> None:
    """With the host alone: a path may hold a secret."""
    everybody = webhook.owner_id is None
    name = host_of(webhook.url)
    record(action, user, webhook, target_name=name, for_everybody=everybody, **detail)
