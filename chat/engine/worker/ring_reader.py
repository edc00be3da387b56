"""Taking the rings of turns from Redis: a thread that waits for them, and threads that answer them.

A ring that is lost, because a process ends while it takes one or Redis comes back empty, costs only
time: the reaper finds what it was for (`worker_timer`).
"""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

import redis
from django.conf import settings
from django.db import close_old_connections

from chat.doorbell import TurnRing
from chat.engine.worker.identity import process_name
from host.thread_pool import ThreadPool
from jobs.ring import OWNER_RINGS, TURN_RINGS

logger = logging.getLogger(__name__)

# Seconds of one wait for a ring, which is also how long a stop may take; after an error of Redis.
WAIT_S = 1
PAUSE_S = 0.5

Advance = Callable[[int, float | None, int], None]


class RingReader:
    """Answers rings by `advance`, each in one of so many threads."""

    def __init__(self, advance: Advance, threads: int) -> None:
        self._advance = advance
        self._own_rings = OWNER_RINGS.format(owner=process_name())
        self._pool = ThreadPool(threads, "turn")
        self._redis = redis.Redis.from_url(
            settings.REDIS_URL,
            socket_connect_timeout=0.5,
            socket_timeout=WAIT_S + 4,
            socket_keepalive=True,
            retry=None,
        )
        self._stopped = threading.Event()
        # Whether the last wait for a ring was one at Redis.
        self.hears = False
        self._thread = threading.Thread(target=self._run, name="ring reader", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Takes no further ring; those that were taken are answered. From any thread or signal."""
        self._stopped.set()

    def close(self) -> None:
        """Waits for all that was begun."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join()
        self._pool.shutdown()

    def _run(self) -> None:
        is_away = False
        self.hears = True
        while not self._stopped.is_set():
            try:
                popped = self._redis.blpop([self._own_rings, TURN_RINGS], timeout=WAIT_S)
            except redis.RedisError as error:
                if not is_away:
                    logger.warning("No rings are heard while Redis is out of reach: %s", error)
                is_away, self.hears = True, False
                self._stopped.wait(PAUSE_S)
                continue
            is_away, self.hears = False, True
            if popped is not None:
                self._take(popped[1])

    def _take(self, entry: bytes | str) -> None:
        if self._stopped.is_set():
            self._put_back(entry)
            return
        try:
            ring = TurnRing.decode(entry)
        except ValueError:
            logger.warning("An entry of %s is no ring: %r", TURN_RINGS, entry[:80])
            return
        self._pool.submit(self._answer, ring)

    def _put_back(self, entry: bytes | str) -> None:
        """For another process: this one ends."""
        with suppress(redis.RedisError):
            self._redis.lpush(TURN_RINGS, entry)

    def _answer(self, ring: TurnRing) -> None:
        try:
            self._advance(ring.turn_id, ring.rung, ring.user_id)
        except Exception:
            logger.exception("Turn %s was not advanced; the reaper takes it over", ring.turn_id)
        finally:
            close_old_connections()
