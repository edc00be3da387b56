"""Writes what happens at the sign-in into the audit log."""

from typing import Any

from django.http import HttpRequest

from audit import recording
from audit.models import Action
from config.entrances import address_of, door_of

# Of these the person is known; of an attempt nothing is but the name that was typed.
OF_A_PERSON = {Action.SIGNED_IN, Action.LINK_USED, Action.SIGNED_OUT}


def record(action: Action, request: HttpRequest, username: str, **detail: Any) -> None:
    """Adds a row, with the client address that the rate limits use."""
    actor = request.user if action in OF_A_PERSON else None
    with recording.entered(door_of(request.path_info), address_of(request)):
        recording.record(action, actor, actor_name=username, **detail)
