"""Trying again: a new turn replaces the latest one, which failed or was stopped.

    … answer ─┬─ question ─ text until it failed                not shown, not sent; its trace stays
              └─ question ─ answer                              `Turn.retry_of`

The new question follows the same message as the old one, so that a request has it once. If other
turns came after it, a message that is sent again is a new one at the end.
"""

import uuid

from chat.errors import Rejected
from chat.models import Conversation, Message, Turn
from db.users import AnyUser

IS_TRIED = "This message is being tried again already."


def turn_of(user: AnyUser, message: uuid.UUID) -> Turn | None:
    """The turn whose question this message is, if the user may see it."""
    return Turn.objects.for_user(user).filter(question__public_id=message).first()


def replaced(turn: Turn, conversation: Conversation) -> Turn | None:
    """The turn that another attempt replaces: the latest attempt of `turn`. None if the new message
    goes to the end. Inside the transaction that locked the conversation. Raises `Rejected`."""
    if turn.conversation_id != conversation.pk:
        return None
    latest = turn
    while (later := Turn.objects.filter(retry_of=latest).first()) is not None:
        latest = later
    if latest.is_open and latest != turn:
        raise Rejected(IS_TRIED)
    if latest.status not in (Turn.Status.FAILED, Turn.Status.STOPPED):
        return None
    questions = Turn.objects.filter(conversation=conversation, question__isnull=False)
    return None if questions.filter(pk__gt=latest.pk).exists() else latest


def tail(turn: Turn) -> Message | None:
    """The message that the new question follows: the parent of the old one, or a copy of the system
    prompt that was chosen since."""
    assert turn.question is not None
    before = turn.question.parent or _latest_before(turn)
    prompts = Message.objects.filter(
        conversation=turn.conversation_id, role=Message.Role.SYSTEM, pk__gt=turn.question.pk
    )
    prompt = prompts.order_by("-id").first()
    if prompt is None:
        return before
    return Message.objects.create(
        conversation_id=turn.conversation_id,
        parent=before,
        role=Message.Role.SYSTEM,
        body=prompt.body,
    )


def _latest_before(turn: Turn) -> Message | None:
    """The last message before a turn whose question has no parent: it is the first, or was stopped
    while it waited."""
    assert turn.question is not None
    messages = Message.objects.filter(conversation=turn.conversation_id)
    latest = messages.filter(turn__lt=turn.pk).order_by("-turn", "-id").first()
    return latest or messages.filter(turn=None, pk__lt=turn.question.pk).order_by("id").first()
