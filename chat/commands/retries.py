"""Trying again: a new turn replaces one without anything after it, which failed or was stopped.

    … answer ─┬─ question ─ text until it failed                not shown, not sent; its trace stays
              └─ question ─ answer                              `Turn.retry_of`

The new question follows the same message as the old one, so that a request has it once. If other
turns came after it, a message that is sent again is a new one at the end.
"""

import uuid

from chat.errors import Rejected
from chat.models import Conversation, Turn
from db.users import AnyUser
from languages.later import later

IS_TRIED = later("This message is being tried again already.")


def turn_of(user: AnyUser, message: uuid.UUID) -> Turn | None:
    """The turn whose question this message is, if the user may write there."""
    turns = Turn.objects.writable_by(user).select_related("parent", "question__parent")
    return turns.filter(question__public_id=message).first()


def replaced(turn: Turn, conversation: Conversation) -> Turn | None:
    """The turn that another attempt replaces: the latest attempt of `turn`. None if the new message
    goes to the end. Inside the transaction that locked the conversation. Raises `Rejected`."""
    if turn.conversation_id != conversation.pk:
        return None
    latest = turn
    tries = Turn.objects.select_related("parent", "question__parent")
    while (later := tries.filter(retry_of=latest).first()) is not None:
        latest = later
    if latest.is_open and latest != turn:
        raise Rejected(IS_TRIED)
    if latest.status not in (Turn.Status.FAILED, Turn.Status.STOPPED):
        return None
    return None if latest.children.filter(question__isnull=False, deleted=None).exists() else latest
