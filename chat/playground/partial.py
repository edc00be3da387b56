"""The text of a run while it arrives: in Redis, where a page looks for it. Lost, it is missed by
nobody but the reader: the whole answer is in the trace."""

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


class Heard:
    """What a run has said since it was last written down. `say` is for the loop's thread, `write`
    for the one that waits."""

    def __init__(self, trace: uuid.UUID) -> None:
        self._trace = trace
        self._deltas: list[TextDelta] = []
        self._lock = threading.Lock()

    def say(self, deltas: Sequence[TextDelta]) -> None:
        with self._lock:
            self._deltas += [delta for delta in deltas if delta.part in PARTS]

    def write(self) -> None:
        """Adds what is new to what a page can see."""
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
        found = client().mget([_key(trace, part) for part in PARTS])
    except redis.RedisError:
        return dict.fromkeys(PARTS, "")
    texts = (text.encode() if isinstance(text, str) else text or b"" for text in found)
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
