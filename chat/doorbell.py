"""Ringing the workers through Celery. The database is the authority: a lost ring loses nothing."""

import logging
import time

from jobs.ring import UNREACHABLE, send

logger = logging.getLogger(__name__)


def ring_turn(turn_id: int, user_id: int = 0) -> None:
    """Asks a `turns` worker to advance this turn of a user (0: the worker looks it up). The time of
    the ring, in seconds since 1970, is the task's second argument."""
    _ring("chat.advance", "turns", turn_id, time.time(), user_id)


def ring_call(call_id: int, user_id: int = 0) -> None:
    """Asks a `tools` worker to execute this tool call of a user (0: the worker looks it up)."""
    _ring("chat.execute", "tools", call_id, user_id)


def _ring(task: str, queue: str, *arguments: float) -> None:
    try:
        send(task, queue, arguments)
    except UNREACHABLE as error:
        logger.warning("Redis is out of reach (%s); the reaper takes %s over", error, task)
