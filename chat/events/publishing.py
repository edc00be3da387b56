"""Appending events to the log of a conversation."""

import logging
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import redis

from chat.doorbell import TurnRing
from chat.events.log import client, encode, log_key
from chat.events.scripts import Append, EventAppend, RingAppend, StateAppend, append
from chat.models import Turn
from limits.web import MAX_DELETED_LOG_S

logger = logging.getLogger(__name__)


def emit(conversation: uuid.UUID, event: dict[str, Any]) -> None:
    """Appends and announces one event. While Redis is down it is lost, with a warning: readers
    start over from the database when Redis is back."""
    emit_many(conversation, [event])


def emit_many(conversation: uuid.UUID, events: Sequence[dict[str, Any]]) -> None:
    """Appends and announces events, in order."""
    _append(_event(conversation, event) for event in events)


def emit_and_ring(
    conversation: uuid.UUID, events: Sequence[dict[str, Any]], *rings: TurnRing
) -> None:
    """Appends and announces events, in order, and rings the `turns` workers, by one call of Redis.
    While Redis is down the reaper takes the turns over."""
    appends = [_event(conversation, event) for event in events]
    _append([*appends, *(RingAppend(ring.encoded()) for ring in rings)])


def _event(conversation: uuid.UUID, event: dict[str, Any]) -> Append:
    """An event of a turn's state is announced by a process that may have been suspended since."""
    if event["type"] not in ("turn", "generation"):
        return EventAppend(conversation, encode(event))
    is_end = event["type"] == "turn" and event["state"] not in Turn.OPEN
    return StateAppend(conversation, encode(event), event["turn"], event["epoch"], is_end)


def forget(conversations: Iterable[uuid.UUID]) -> None:
    """Lets the logs of deleted conversations expire as soon as their pages have read the end."""
    try:
        with client().pipeline(transaction=False) as commands:
            for conversation in conversations:
                commands.expire(log_key(conversation), MAX_DELETED_LOG_S)
            commands.execute()
    except redis.RedisError as error:
        logger.warning("Logs of deleted conversations expire later: %s", error)


def _append(appends: Iterable[Append]) -> None:
    try:
        append(appends)
    except redis.RedisError as error:
        logger.warning("Events could not be appended to their log: %s", error)
