"""Appending events to the log of a conversation."""

import logging
import uuid
from collections.abc import Sequence
from typing import Any

import redis

from chat.events.log import encode
from chat.events.scripts import EventAppend, append

logger = logging.getLogger(__name__)


def emit(conversation: uuid.UUID, event: dict[str, Any]) -> None:
    """Appends and announces one event. While Redis is down it is lost, with a warning: readers
    start over from the database when Redis is back."""
    emit_many(conversation, [event])


def emit_many(conversation: uuid.UUID, events: Sequence[dict[str, Any]]) -> None:
    """Appends and announces events, in order."""
    try:
        append(EventAppend(conversation, encode(event)) for event in events)
    except redis.RedisError as error:
        logger.warning("Events could not be appended to their log: %s", error)
