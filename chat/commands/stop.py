"""Stopping a turn."""

from uuid import UUID

from django.contrib.auth.models import User

from chat import turn_facts
from chat.models import Turn


def stop_turn(user: User, public_id: UUID) -> bool:
    """Asks the owner of the user's turn to stop, and of its subagents'. False if there is no such
    turn, or it is over."""
    turn = Turn.objects.for_user(user).filter(public_id=public_id).first()
    return turn is not None and turn_facts.stop(turn)
