"""Stopping a turn."""

from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from chat import turn_facts, turn_queue
from chat.models import Conversation, Turn


def stop_turn(user: User, public_id: UUID) -> bool:
    """Asks the owner of a turn that the user may change to stop, and of its subagents'. False if
    there is no such turn, or it is over."""
    turn = Turn.objects.changeable_by(user).filter(public_id=public_id).first()
    if turn is None or not turn.is_in_line:
        return turn is not None and turn_facts.stop(turn, user.pk)
    with transaction.atomic():
        # Its key is its place in line, which may change until this.
        Conversation.objects.lock(turn.conversation_id)
        turn = Turn.objects.changeable_by(user).filter(public_id=public_id).first()
        if turn is not None and turn.is_in_line:
            turn_queue.announce(turn.conversation)
            return turn_facts.stop(turn, user.pk)
    # One that has begun meanwhile is locked before the conversation, as by its end.
    return turn is not None and turn_facts.stop(turn, user.pk)
