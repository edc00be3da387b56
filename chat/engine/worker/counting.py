"""Counting ended traces: a worker does it beside its work, when that delays no turn."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import redis
from redis.exceptions import LockError

from chat.engine.tool_calls.running_calls import running_calls
from chat.events.log import client
from db.threads import in_database
from limits.traces import MAX_COUNTED_TRACES, MAX_COUNTING_S
from tracing.stats.aggregates.ended_traces import BATCH, aggregate_pending, is_due

LOCK = "rt:counting"


def count_ended() -> None:
    """Counts the traces that ended: at the next beat while few run, otherwise many at once. They
    are counted a batch at a time; others use the database in between."""
    if not in_database(is_due):
        return
    with _only_counter() as is_ours:
        total, count = 0, BATCH if is_ours else 0
        while count == BATCH and total < MAX_COUNTED_TRACES and not running_calls.closing:
            count = in_database(aggregate_pending, BATCH)
            total += count


@contextmanager
def _only_counter() -> Iterator[bool]:
    """Whether no other worker counts. The database would refuse to count a trace twice; the lock
    spares the work. It is not needed, so that traces are counted while Redis is down."""
    lock = client().lock(LOCK, timeout=MAX_COUNTING_S, blocking=False)
    try:
        is_ours = lock.acquire()
    except redis.RedisError:
        yield True
        return
    try:
        yield is_ours
    finally:
        if is_ours:
            with suppress(LockError, redis.RedisError):
                lock.release()
