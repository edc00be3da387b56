"""Storing a turn with its question and its trace, inside the transaction of a send."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from chat.attachments import uploads
from chat.attachments.references import content_with
from chat.commands.answerers import Answerer
from chat.commands.new_conversation import title_of
from chat.commands.positions import Position
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Attachment, Conversation, Message, Turn
from tracing import recorder
from tracing.models import Trace
from tracing.models.attributes import TraceAttributes


@dataclass(frozen=True)
class Question:
    """What is asked: a text with attachments, by whom and where. `name` is the name of its trace,
    `zone` the person's time zone, `results` those of a program's tools, which come before the text;
    without a text the turn has no question."""

    user: User
    conversation: Conversation
    text: str
    attached: Sequence[Attachment]
    name: str
    zone: str
    results: Sequence[CanonicalMessage] = ()


def ask(
    question: Question, key: str, position: Position, answerer: Answerer, **columns: Any
) -> Turn:
    """A new turn at this position, with its question."""
    turn_id = uuid.uuid4()
    turn = Turn.objects.insert(
        public_id=turn_id,
        conversation=question.conversation,
        **_people(question),
        client_key=key,
        model=answerer.model,
        preset=answerer.preset,
        parent_id=position.parent,
        trace=_trace(question, turn_id, position, answerer, columns.get("comparison")),
        wakeups=0 if position.has_to_wait else 1,
        **columns,
    )
    _store_question(turn, position, question)
    return turn


def _people(question: Question) -> dict[str, Any]:
    """The columns that say whose the turn is."""
    owner = question.conversation.owner_id
    if owner == question.user.pk:
        return {"user": question.user}
    return {"user_id": owner, "author": question.user, "is_of_member": True}


def _store_question(turn: Turn, position: Position, question: Question) -> None:
    """Stores the turn's question, and in front of it the system prompt of a new branch."""
    own = uploads.own_copies(question.attached)
    tail = position.tail
    if position.prompt is not None:
        tail = Message.objects.insert(
            conversation=turn.conversation,
            turn=turn,
            parent=tail,
            role=Message.Role.SYSTEM,
            body={"role": "system", "content": position.prompt},
        )
    for result in question.results:
        tail = Message.objects.insert(
            conversation=turn.conversation,
            turn=turn,
            parent=tail,
            role=Message.Role.TOOL,
            body=result,
        )
    if question.results and not question.text.strip() and not own:
        return
    turn.question = Message.objects.insert(
        conversation=turn.conversation,
        turn=turn,
        parent=tail,
        role=Message.Role.USER,
        body={"role": "user", "content": content_with(question.text, own)},
    )
    uploads.tie(own, turn.question)
    Turn.objects.ask(turn.pk, turn.question.pk)


def _trace(
    question: Question,
    turn_id: uuid.UUID,
    position: Position,
    answerer: Answerer,
    comparison: uuid.UUID | None,
) -> Trace:
    conversation, model = question.conversation, answerer.model
    preset = answerer.preset or model.preset
    attributes: TraceAttributes = {
        "conversation": str(conversation.public_id),
        "turn": str(turn_id),
        "parent": str(position.parent_id) if position.parent_id else None,
        "model": model.name,
        "preset": preset.name if preset else "",
    }
    if question.zone:
        attributes["timezone"] = question.zone
    if comparison is not None:
        attributes["comparison"] = str(comparison)
    root = recorder.begin_trace(
        conversation.archive_id,
        conversation.owner_id,
        title_of(question.name),
        attributes,
        is_listed=not conversation.is_temporary,
    )
    return root.trace
