"""Ringing the workers. The database is the authority: a lost ring loses nothing.

A turn is rung by an entry of a Redis list that the `turns` workers wait for
(`chat.engine.worker.ring_reader`), a tool call by a Celery task.
"""

import logging
import time
from typing import NamedTuple, Self

import redis

from db.redis_pool import client
from jobs.ring import OWNER_RINGS, TURN_RINGS, UNREACHABLE, send

logger = logging.getLogger(__name__)

# A worker that is there takes its rings at once, and looks at its turns every two seconds anyway.
OWNER_RING_S = 10


class TurnRing(NamedTuple):
    """An entry of the list `TURN_RINGS`: the turn, its user (0: the worker looks it up), and the
    moment of the ring in seconds since 1970."""

    turn_id: int
    user_id: int
    rung: float

    @classmethod
    def now(cls, turn_id: int, user_id: int = 0) -> Self:
        return cls(turn_id, user_id, time.time())

    def encoded(self) -> str:
        return f"{self.turn_id} {self.user_id} {self.rung:.6f}"

    @classmethod
    def decode(cls, entry: bytes | str) -> Self:
        """Raises ValueError."""
        turn_id, user_id, rung = entry.split()
        return cls(int(turn_id), int(user_id), float(rung))


def ring_turn(turn_id: int, user_id: int = 0) -> None:
    """Asks a `turns` worker to advance this turn of a user (0: the worker looks it up)."""
    try:
        client().rpush(TURN_RINGS, TurnRing.now(turn_id, user_id).encoded())
    except redis.RedisError as error:
        _warn(error, "turn")


def ring_owner(owner: str, turn_id: int) -> None:
    """Tells the `turns` worker `owner` that this turn, which it runs, was rung again."""
    rings = OWNER_RINGS.format(owner=owner)
    try:
        with client().pipeline(transaction=True) as pipeline:
            pipeline.rpush(rings, TurnRing.now(turn_id).encoded())
            pipeline.expire(rings, OWNER_RING_S)
            pipeline.execute()
    except redis.RedisError as error:
        _warn(error, "turn")


def ring_call(call_id: int, user_id: int = 0) -> None:
    """Asks a `tools` worker to execute this tool call of a user (0: the worker looks it up)."""
    try:
        send("chat.execute", "tools", (call_id, user_id))
    except UNREACHABLE as error:
        _warn(error, "call")


def ring_title(turn_id: int, user_id: int) -> None:
    """Asks a `turns` worker for a title of this turn's conversation. Nobody takes a lost ring over:
    the conversation keeps its first words."""
    try:
        send("chat.title", "turns", (turn_id, user_id))
    except UNREACHABLE as error:
        logger.info("Redis is out of reach (%s); a conversation gets no title", error)


def _warn(error: Exception, kind: str) -> None:
    logger.warning("Redis is out of reach (%s); the reaper takes the %s over", error, kind)
