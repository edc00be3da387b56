"""Storing events for webhooks, in the transaction in which they happen.

Without a webhook an event costs nothing. A webhook is told of events from `known.FRESH_S` after it
was made.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from chat.llm.messages import text_of
from chat.models import Turn, Webhook, WebhookDelivery
from chat.webhooks import known
from chat.webhooks.deliveries import ring_due
from db.fields import dump_json
from db.threads import after_commit
from limits.webhooks import MAX_WEBHOOK_ANSWER
from tracing.models import Span

Event = Webhook.Event
Shape = Callable[[Webhook], dict[str, Any]]


def turn_ended(turn: Turn) -> None:
    """A turn of a person has ended; those of subagents are told by the turn above."""
    if turn.conversation.parent_call_id is None:
        shape = partial(_ended, turn)
        _store(turn.user_id, Event.TURN_ENDED, f"ended:{turn.public_id}", turn.ended, shape)


def approval_waits(turn: Turn, call: Span) -> None:
    shape = partial(_waits, turn, reason="approval", call=call)
    _store(turn.user_id, Event.TURN_WAITING, f"approval:{call.public_id}", call.started, shape)


def question_waits(turn: Turn, call: Span, question: str, asked: datetime) -> None:
    shape = partial(_waits, turn, reason="question", call=call)
    _store(turn.user_id, Event.TURN_WAITING, f"question:{question}", asked, shape)


def limit_reached(user_id: int, limit: str, amount: float, opens_at: datetime | None) -> None:
    """A person was refused by a limit: told once for each time that it is reached."""
    opens = opens_at.isoformat() if opens_at else None
    now = timezone.now()
    key = f"limit:{user_id}:{limit}:{opens or now.date().isoformat()}"

    def shape(webhook: Webhook) -> dict[str, Any]:
        return {"limit": limit, "amount": amount, "opens_at": opens, **_person(webhook, user_id)}

    _store(user_id, Event.LIMIT_REACHED, key, now, shape)


def limit_near(user_id: int, limit: str, used: int, amount: int, opens_at: datetime | None) -> None:
    """Most of a limit is used: told once for each window of it, which begins anew at `opens_at`."""
    opens = opens_at.isoformat() if opens_at else None

    def shape(webhook: Webhook) -> dict[str, Any]:
        about = {"limit": limit, "used": used, "amount": amount, "opens_at": opens}
        return {**about, **_person(webhook, user_id)}

    key = f"near:{user_id}:{limit}:{opens}"
    _store(user_id, Event.LIMIT_NEAR, key, timezone.now(), shape)


def is_told(user_id: int, event: str) -> bool:
    """Whether a webhook listens to this event of this person."""
    if not known.any_webhook():
        return False
    return any(event in one.events for one in Webhook.objects.told_of(user_id))


def store(webhook: Webhook, event: str, key: str, data: dict[str, Any]) -> WebhookDelivery:
    """An event for this webhook alone, whatever it listens to."""
    delivery = WebhookDelivery(webhook=webhook, event=event, key=key, body="")
    delivery.body = _body(event, timezone.now(), data)
    with transaction.atomic():
        delivery.save()
        after_commit(partial(ring_due, event, key))
    return delivery


def _store(user_id: int, event: str, key: str, at: datetime | None, shape: Shape) -> None:
    if not known.any_webhook():
        return
    listening = [one for one in Webhook.objects.told_of(user_id) if event in one.events]
    moment = at or timezone.now()
    rows = [
        WebhookDelivery(webhook=one, event=event, key=key, body=_body(event, moment, shape(one)))
        for one in listening
    ]
    if not rows:
        return
    try:
        with transaction.atomic():
            WebhookDelivery.objects.bulk_create(rows, ignore_conflicts=True)
    except IntegrityError:  # a webhook was deleted this very moment
        return
    after_commit(partial(ring_due, event, key))


def _body(event: str, at: datetime, data: dict[str, Any]) -> str:
    return dump_json({"type": event, "timestamp": at.isoformat(), "data": data})


def _ended(turn: Turn, webhook: Webhook) -> dict[str, Any]:
    about = {**_turn(turn, webhook), "status": turn.status, "ceiling": turn.ceiling or None}
    if not _tells(webhook):
        return about
    answer = text_of(turn.answer.body.get("content")) if turn.answer else ""
    return {**about, "error": turn.error, "answer": answer[:MAX_WEBHOOK_ANSWER]}


def _waits(turn: Turn, webhook: Webhook, *, reason: str, call: Span) -> dict[str, Any]:
    about = {"reason": reason, "call": str(call.public_id), "tool": call.name}
    return {**_turn(turn, webhook), **about}


def _turn(turn: Turn, webhook: Webhook) -> dict[str, Any]:
    conversation = turn.conversation.top
    about: dict[str, Any] = {
        "turn": str(turn.public_id),
        "conversation": str(conversation.public_id),
        "trace": str(turn.trace.public_id) if turn.trace else None,
        **_person(webhook, turn.user_id),
    }
    if _tells(webhook):
        about["title"] = str(conversation)
    return about


def _person(webhook: Webhook, user_id: int) -> dict[str, Any]:
    """Whom it is about, where that is not the webhook's owner."""
    return {"user": user_id} if webhook.owner_id is None else {}


def _tells(webhook: Webhook) -> bool:
    return webhook.with_content and webhook.owner_id is not None
