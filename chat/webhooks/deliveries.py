"""Deliveries, the jobs that send events; the `tools` worker sends.

A row stays `asked` until an attempt succeeds or the last one has failed: what a lost ring or a
killed worker leaves is found by the worker's beat (`go_on`).
"""

import logging
import random
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils import timezone

import jobs
from audit.models import Action
from audit.recording import record
from chat.models import Webhook, WebhookDelivery
from chat.webhooks import known, sending
from chat.webhooks.sending import GONE, Outcome
from jobs import State, ring
from languages.stored import stored
from limits.webhooks import (
    MAX_DELIVERY_AGE,
    MAX_DELIVERY_SILENCE,
    MAX_RUNG_DELIVERIES,
    MAX_WEBHOOK_FAILING,
)
from tools import loop

logger = logging.getLogger(__name__)

DELIVERY = jobs.Kind(
    model=WebhookDelivery,
    task="chat.deliver_webhook",
    queue="tools",
    unreachable=stored("Redis is unreachable; it is sent when it is back."),
    not_taken=stored("No worker took it; it is sent when one is there."),
    worker_gone=stored("The worker stopped meanwhile; it is sent again."),
)
# Seconds from an attempt that failed to the next; two days in all.
WAITS = (5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 12 * 3600, 12 * 3600)
JITTER = 0.2
OUR_FAULT = stored("It could not be sent; the log says why.")
OFF = stored("The webhook is switched off.")
IS_GONE = stored("The receiver said that it is gone (status 410).")
FAILS = stored("It has failed for days, without a success in between.")


def ring_due(event: str, key: str) -> None:
    """Has workers send what was just stored."""
    rows = WebhookDelivery.objects.filter(key=key, event=event, state=State.ASKED)
    _ring(list(rows.order_by().values_list("pk", flat=True)))


def go_on() -> None:
    """Has workers send what is due, also what a worker left that died."""
    now = timezone.now()
    silent = WebhookDelivery.objects.filter(
        state=State.RUNNING, changed__lt=now - MAX_DELIVERY_SILENCE
    )
    silent.update(state=State.ASKED, changed=now)
    due = WebhookDelivery.objects.filter(state=State.ASKED, due__lte=now).order_by("due")
    # Not what was rung a moment ago.
    rung = due.filter(changed__lt=now - timedelta(seconds=2))
    pks = list(rung.values_list("pk", flat=True)[:MAX_RUNG_DELIVERIES])
    if pks:
        WebhookDelivery.objects.filter(pk__in=pks, state=State.ASKED).update(changed=now)
        _ring(pks)


def _ring(pks: list[int]) -> None:
    try:
        for pk in pks:
            ring.send(DELIVERY.task, DELIVERY.queue, (pk,))
    except ring.UNREACHABLE as error:
        logger.warning("Webhooks are sent later: Redis is out of reach (%s)", error)


def run(pk: int) -> None:
    """Makes one attempt, unless another worker does or it is not due."""
    if not WebhookDelivery.objects.filter(pk=pk, due__lte=timezone.now()).exists():
        return
    row = jobs.take(DELIVERY, pk, "webhook")
    if row is None:
        return
    if not row.webhook.enabled:
        jobs.finish(DELIVERY, row, OFF)
        return
    connection.close()
    webhook = row.webhook
    attempt = sending.send(webhook.url, webhook.secret, str(row.public_id), row.body)
    try:
        outcome = loop.run(attempt)
    except Exception:
        logger.exception("the delivery %s failed", row.public_id)
        outcome = Outcome(error=OUR_FAULT)
    _note(row, outcome)


def _note(row: WebhookDelivery, outcome: Outcome) -> None:
    """Ends the delivery, or has it tried again; a worker that was too slow changes nothing."""
    seen: dict[str, Any] = {
        "attempts": row.attempts + 1,
        "status": outcome.status,
        "excerpt": outcome.excerpt,
    }
    if not outcome.error:
        if jobs.finish(DELIVERY, row, **seen):
            Webhook.objects.filter(pk=row.webhook_id).exclude(failing_since=None).update(
                failing_since=None
            )
        return
    if row.attempts < len(WAITS) and outcome.status != GONE:
        _again(row, outcome.error, seen)
    else:
        jobs.finish(DELIVERY, row, outcome.error, **seen)
    _note_failure(row.webhook, outcome.status)


def _again(row: WebhookDelivery, error: str, seen: dict[str, Any]) -> None:
    wait = WAITS[row.attempts] * random.uniform(1, 1 + JITTER)  # no secret
    now = timezone.now()
    taken = WebhookDelivery.objects.filter(pk=row.pk, state=State.RUNNING, epoch=row.epoch)
    due = now + timedelta(seconds=wait)
    taken.update(state=State.ASKED, changed=now, due=due, error=error, **seen)


def _note_failure(webhook: Webhook, status: int) -> None:
    now = timezone.now()
    Webhook.objects.filter(pk=webhook.pk, failing_since=None).update(failing_since=now)
    too_long = Q(failing_since__lt=now - MAX_WEBHOOK_FAILING)
    if status == GONE:
        _switch_off(webhook, Q(), IS_GONE)
    else:
        _switch_off(webhook, too_long, FAILS)


def _switch_off(webhook: Webhook, condition: Q, why: str) -> None:
    rows = Webhook.objects.filter(condition, pk=webhook.pk, enabled=True)
    if rows.update(enabled=False, problem=why):
        known.forget()
        record(Action.WEBHOOK_FAILED, None, webhook, target_name=host_of(webhook.url))


def host_of(url: str) -> str:
    """The host, which the log may have: a path or query may hold a secret."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0]


def sweep() -> None:
    """Deletes deliveries that are old and over."""
    old = WebhookDelivery.objects.filter(created__lt=timezone.now() - MAX_DELIVERY_AGE)
    old.exclude(state__in=jobs.OPEN).delete()
