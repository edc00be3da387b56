"""Storing the messages that a program says came before: as turns that have ended, so that pages
show them and requests have them."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.utils import timezone

from chat.commands.positions import Position
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Conversation, Message, Turn

Bodies = Sequence[CanonicalMessage]


def store(conversation: Conversation, earlier: Bodies, prompt: Message | None) -> Position:
    """Stores them in a new conversation, whose system prompt is `prompt`, with a constant number of
    statements. Where the next turn goes."""
    if not earlier:
        return Position(None, None, prompt, has_to_wait=False)
    groups = list(_of_turns(earlier))
    turns = Turn.objects.bulk_create([_turn(conversation) for _ in groups])
    _chain(Turn.objects.filter(conversation=conversation), Turn.objects.all())
    rows = Message.objects.bulk_create(
        Message(conversation=conversation, turn=turn, role=body["role"], body=body)
        for turn, bodies in zip(turns, groups, strict=True)
        for body in bodies
    )
    _chain(Message.objects.filter(conversation=conversation), Message.objects.all())
    _tie(turns, rows)
    return Position(turns[-1].pk, turns[-1].public_id, rows[-1], has_to_wait=False)


def _of_turns(earlier: Bodies) -> Iterator[list[CanonicalMessage]]:
    """The messages by turn: each begins with a message of the user, or a result of a tool that the
    program runs."""
    group: list[CanonicalMessage] = []
    for body in earlier:
        begins = body["role"] == "user" or (
            body["role"] == "tool" and group and group[-1]["role"] == "assistant"
        )
        if begins and group:
            yield group
            group = []
        group.append(body)
    yield group


def _turn(conversation: Conversation) -> Turn:
    now = timezone.now()
    return Turn(
        conversation=conversation,
        user_id=conversation.owner_id,
        client_key=f"earlier-{uuid.uuid4()}",
        model_id=conversation.model_id,
        preset_id=conversation.preset_id,
        status=Turn.Status.DONE,
        wakeups=1,
        seen=1,
        started=now,
        ended=now,
    )


def _chain(rows: "QuerySet[Any]", others: "QuerySet[Any]") -> None:
    """Gives each row without a parent the one before it in its conversation."""
    before = others.filter(conversation=OuterRef("conversation"), pk__lt=OuterRef("pk"))
    latest = before.order_by().values("conversation").annotate(latest=Max("pk")).values("latest")
    rows.filter(parent=None).update(parent_id=Subquery(latest))


def _tie(turns: Sequence[Turn], rows: Sequence[Message]) -> None:
    """Gives each turn its question, and the answer it ends with."""
    by_pk = {turn.pk: turn for turn in turns}
    for row in rows:
        turn = by_pk[row.turn_id or 0]
        if row.role == Message.Role.USER:
            turn.question = row
        elif row.role == Message.Role.ASSISTANT:
            turn.answer = row
            turn.rounds += 1
    Turn.objects.bulk_update(turns, ["question", "answer", "rounds"], batch_size=100)
