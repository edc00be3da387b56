"""Appending events to the log of a conversation."""

import logging
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import redis

from chat.doorbell import TurnRing
from chat.events.log import client, encode, log_key
from chat.events.scripts import Append, EventAppend, RingAppend, append, run_keys
from limits.web import MAX_DELETED_LOG_S

logger = logging.getLogger(__name__)


def emit(conversation: uuid.UUID, event: dict[str, Any]) -> None:
    """Appends and announces one event. While Redis is down it is lost, with a warning: readers
    start over from the database when Redis is back."""
    emit_many(conversation, [event])


def emit_many(conversation: uuid.UUID, events: Sequence[dict[str, Any]]) -> None:
    """Appends and announces events, in order."""
    _append(EventAppend(conversation, encode(event)) for event in events)


def emit_and_ring(
    conversation: uuid.UUID, events: Sequence[dict[str, Any]], *rings: TurnRing
) -> None:
    """Appends and announces events, in order, and rings the `turns` workers, by one call of Redis.
    While Redis is down the reaper takes the turns over."""
    appends: list[Append] = [EventAppend(conversation, encode(event)) for event in events]
    _append([*appends, *(RingAppend(ring.encoded()) for ring in rings)])


def forget(conversations: Iterable[uuid.UUID], turns: Iterable[uuid.UUID]) -> None:
    """Lets the logs of deleted conversations expire as soon as their pages have read the end, and
    deletes the running texts of these turns."""
    try:
        with client().pipeline(transaction=False) as commands:
            for conversation in conversations:
                commands.expire(log_key(conversation), MAX_DELETED_LOG_S)
            for turn in turns:
                commands.delete(*run_keys(turn))
            commands.execute()
    except redis.RedisError as error:
        logger.warning("Logs of deleted conversations expire later: %s", error)


def _append(appends: Iterable[Append]) -> None:
    try:
        append(appends)
    except redis.RedisError as error:
        logger.warning("Events could not be appended to their log: %s", error)
