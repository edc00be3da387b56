"""Periodic work of a worker: it announces the process, indexes traces of older rules again, and
removes traces that are too old or that people asked to delete; `counting` counts ended traces.

Each task runs in a thread of its own, so that none holds the timer up: a connection to a Redis that
is down takes half a second to fail.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import redis

from chat.engine.tool_calls.running_calls import running_calls
from chat.events.log import client
from db.threads import in_database
from limits.traces import MAX_INDEXED_TRACES, MAX_INDEXING_S
from tracing.retention import ageing, deletions
from tracing.search.reindexing import index_outdated
from tracing.stats import worker_presence

logger = logging.getLogger(__name__)


class PeriodicTask:
    """A function that a thread of the pool runs, one run at a time."""

    def __init__(self, pool: Executor, function: Callable[[], object]) -> None:
        self._pool = pool
        self._function = function
        self._running = threading.Lock()

    def begin(self) -> None:
        """Starts a run, unless the last one still runs."""
        if self._running.acquire(blocking=False):
            self._pool.submit(self._run)

    def _run(self) -> None:
        try:
            self._function()
        except Exception:
            logger.exception("%s failed; it is tried again", self._function)
        finally:
            self._running.release()


@dataclass(frozen=True)
class PeriodicWork:
    """Functions without arguments that the `tools` worker runs in threads: every beat (2 seconds),
    every minute, every hour (first when the worker starts)."""

    every_beat: tuple[Callable[[], object], ...] = ()
    every_minute: tuple[Callable[[], object], ...] = ()
    every_hour: tuple[Callable[[], object], ...] = ()


def index_again() -> None:
    """Indexes some of the traces again that an older version has indexed."""
    in_database(index_outdated, MAX_INDEXED_TRACES, MAX_INDEXING_S)


def delete_asked() -> None:
    """Deletes what people asked to delete, a few traces at a time."""
    while in_database(deletions.go_on) and not running_calls.closing:
        pass


def remove_old() -> None:
    """Removes traces that are older than the settings allow, a few at a time."""
    turns, others = ageing.days()
    while in_database(ageing.remove_some, turns, others) and not running_calls.closing:
        pass


def announce(queue: str, threads: int, busy: int) -> None:
    """Announces in Redis that this process serves a queue; does nothing while Redis is down."""
    try:
        worker_presence.announce(client(), worker_presence.this_process(queue, threads, busy))
    except redis.RedisError:
        logger.debug("Redis is out of reach; nobody learns of this worker")
