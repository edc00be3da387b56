"""Appending events to the log of a conversation."""

import logging
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import redis

from chat.doorbell import TurnRing
from chat.events.log import encode
from chat.events.scripts import Append, EventAppend, RingAppend, append

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


def _append(appends: Iterable[Append]) -> None:
    try:
        append(appends)
    except redis.RedisError as error:
        logger.warning("Events could not be appended to their log: %s", error)
