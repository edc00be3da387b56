"""What a worker does beside its work: says that it is there, counts the traces that ended, indexes
again those that were indexed by older rules, and removes those that are too old or were asked to be
deleted.

None may hold the timer up: Redis, when it is down, takes half a second to say so.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import redis

from chat.engine.tool_calls import executing
from chat.events.log import client
from db.threads import in_database
from limits.traces import MAX_COUNTED_TRACES
from tracing.retention import ageing, deletions
from tracing.search.reindexing import index_outdated
from tracing.stats import worker_presence
from tracing.stats.aggregates.ended_traces import aggregate_pending

logger = logging.getLogger(__name__)

# Traces counted in one go of a database thread, which others wait for.
AT_ONCE = 10
# Indexing again takes so much of each beat, of two seconds: it may last for hours, beside turns.
INDEXING_SECONDS = 0.2
INDEXED_AT_ONCE = 50


class PeriodicTask:
    """A function that a thread of the pool runs, but never two at the same time."""

    def __init__(self, pool: Executor, function: Callable[[], object]) -> None:
        self._pool = pool
        self._function = function
        self._running = threading.Lock()

    def begin(self) -> None:
        """Unless the last run is still under way."""
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
    """Functions without arguments that the `tools` worker runs in threads of its own: every beat,
    which is every 2 seconds; every minute; every hour, first when the worker starts."""

    every_beat: tuple[Callable[[], object], ...] = ()
    every_minute: tuple[Callable[[], object], ...] = ()
    every_hour: tuple[Callable[[], object], ...] = ()


def count_ended() -> None:
    """Counts the traces that have ended, and lets others into the database in between."""
    done = AT_ONCE
    left = MAX_COUNTED_TRACES
    while done == AT_ONCE and left > 0 and not executing.registry.closing:
        done = in_database(aggregate_pending, AT_ONCE)
        left -= done


def index_again() -> None:
    """Indexes traces again that an older version has indexed, a few in each beat."""
    in_database(index_outdated, INDEXED_AT_ONCE, INDEXING_SECONDS)


def delete_asked() -> None:
    """Goes on with what people asked to delete, a few traces at a time."""
    while in_database(deletions.go_on) and not executing.registry.closing:
        pass


def remove_old() -> None:
    """Removes the evidence of what is older than the settings keep, a few traces at a time."""
    turns, others = ageing.days()
    while in_database(ageing.remove_some, turns, others) and not executing.registry.closing:
        pass


def announce(queue: str, threads: int, busy: int) -> None:
    """Says that this process serves a queue. Nobody hears it while Redis is down."""
    try:
        worker_presence.announce(client(), worker_presence.this_process(queue, threads, busy))
    except redis.RedisError:
        logger.debug("Redis is out of reach; nobody learns of this worker")
