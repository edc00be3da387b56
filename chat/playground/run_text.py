"""The text of a run while it arrives: in Redis, for the page that shows the run. Nothing else
depends on it: the whole answer is in the trace."""

import logging
import threading
import uuid
from collections.abc import Sequence

import redis

from chat.events.log import client
from chat.llm.dialects.contract import TextDelta
from limits.replay import MAX_PARTIAL_S

logger = logging.getLogger(__name__)

PARTS = ("content", "reasoning")


class RunText:
    """The listener of a run's exchange: `say` adds text on the loop's thread, `write` moves what is
    new to Redis on the run's."""

    def __init__(self, trace: uuid.UUID) -> None:
        self._trace = trace
        self._deltas: list[TextDelta] = []
        self._lock = threading.Lock()

    def say(self, deltas: Sequence[TextDelta]) -> None:
        with self._lock:
            self._deltas += [delta for delta in deltas if delta.part in PARTS]

    async def finish(self) -> None:
        """Nothing: a run that has ended shows its trace."""

    def write(self) -> None:
        """Adds to Redis what was said since the last call."""
        with self._lock:
            deltas, self._deltas = self._deltas, []
        if not deltas:
            return
        try:
            with client().pipeline(transaction=False) as pipe:
                for delta in deltas:
                    _add(pipe, self._trace, delta)
                for part in {delta.part for delta in deltas}:
                    pipe.expire(_key(self._trace, part), MAX_PARTIAL_S)
                pipe.execute()
        except redis.RedisError as error:
            logger.warning("Redis is out of reach (%s)", error)


def read(trace: uuid.UUID) -> dict[str, str]:
    """The text so far, by part."""
    try:
        values = client().mget([_key(trace, part) for part in PARTS])
    except redis.RedisError:
        return dict.fromkeys(PARTS, "")
    texts = (value.encode() if isinstance(value, str) else value or b"" for value in values)
    return {part: text.decode(errors="replace") for part, text in zip(PARTS, texts, strict=True)}


def forget(trace: uuid.UUID) -> None:
    try:
        client().delete(*(_key(trace, part) for part in PARTS))
    except redis.RedisError:
        logger.info("Redis is out of reach; it forgets by itself")


def _add(pipe: "redis.client.Pipeline", trace: uuid.UUID, delta: TextDelta) -> None:
    text = delta.text.encode(errors="replace")
    if delta.restart:
        pipe.set(_key(trace, delta.part), text)
    elif text:
        pipe.append(_key(trace, delta.part), text)


def _key(trace: uuid.UUID, part: str) -> str:
    return f"rt:playground:{trace}:{part}"
