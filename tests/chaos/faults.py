"""What is done to a running product. Each fault is a function of the grounds and of its seconds,
which returns when the fault has ended: the process is killed, Redis is back, the lock is gone.

The supervisor is left to start what was killed: how long that takes is a part of the recovery.
"""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import psycopg

from benchmarks.processes import tree
from tests.chaos.grounds import Grounds
from tests.faults.product import wait_for

Does = Callable[[Grounds, float], None]
# The tables that every message and every step of a turn write.
LOCKED_TABLES = "chat_turn, tracing_span, chat_message"


class NotPossible(Exception):
    """The machine does not allow this fault; the message says why."""


def inflict(name: str, grounds: Grounds, seconds: float) -> None:
    """Raises NotPossible, and OSError or TimeoutError if the product does not come back."""
    verb, _, subject = name.partition("-")
    match verb:
        case "kill" if subject == "workers":
            _kill(grounds, "turns", "tools")
        case "kill" if subject != "supervisor":
            _kill(grounds, subject)
        case "freeze":
            _freeze(grounds, subject, seconds)
        case _:
            OTHERS[name](grounds, seconds)


def _kill(grounds: Grounds, *names: str) -> None:
    for name in names:
        _signal(_pid(grounds, name), signal.SIGKILL)


def _freeze(grounds: Grounds, name: str, seconds: float) -> None:
    pid = _pid(grounds, name)
    pids = tree(pid) if name != "tools" else [pid]
    for one in pids:
        _signal(one, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        for one in pids:
            _signal(one, signal.SIGCONT)


def _pid(grounds: Grounds, name: str) -> int:
    return int(wait_for(lambda: grounds.product.pid(name)))


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _kill_supervisor(grounds: Grounds, seconds: float) -> None:
    grounds.product.kill_supervisor()
    grounds.product.start()


def _stop_supervisor(grounds: Grounds, seconds: float) -> None:
    grounds.product.stop()
    grounds.product.start()


def _redis_restart(grounds: Grounds, seconds: float) -> None:
    grounds.redis.restart()


def _redis_empty(grounds: Grounds, seconds: float) -> None:
    grounds.redis.restart_empty()


def _redis_down(grounds: Grounds, seconds: float) -> None:
    grounds.redis.kill()
    time.sleep(seconds)
    grounds.redis.start()


def _flushall(grounds: Grounds, seconds: float) -> None:
    grounds.redis.flush()


def _lock_database(grounds: Grounds, seconds: float) -> None:
    with locked(grounds):
        time.sleep(seconds)


@contextmanager
def locked(grounds: Grounds) -> Iterator[None]:
    """Another writer has the database, and does nothing."""
    if grounds.postgres is not None:
        with psycopg.connect(grounds.postgres.url) as connection:
            connection.execute(f"LOCK TABLE {LOCKED_TABLES} IN EXCLUSIVE MODE")
            yield
        return
    file = grounds.product.home / "roundtrip.sqlite3"
    with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def _full_disk(grounds: Grounds, seconds: float) -> None:
    if grounds.disk is None:
        raise NotPossible("no file system of its own can be mounted here")
    grounds.fill_disk()
    try:
        time.sleep(seconds)
    finally:
        grounds.free_disk()
        if grounds.postgres is not None:
            grounds.postgres.ensure_up()


def _crash_database(grounds: Grounds, seconds: float) -> None:
    assert grounds.postgres is not None
    grounds.postgres.crash()
    grounds.postgres.start()


def _cut_database(grounds: Grounds, seconds: float) -> None:
    """Every connection of the product's is ended by the server."""
    assert grounds.postgres is not None
    with psycopg.connect(grounds.postgres.url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )


OTHERS: dict[str, Does] = {
    "kill-supervisor": _kill_supervisor,
    "stop-supervisor": _stop_supervisor,
    "redis-restart": _redis_restart,
    "redis-empty": _redis_empty,
    "redis-down": _redis_down,
    "flushall": _flushall,
    "lock-database": _lock_database,
    "full-disk": _full_disk,
    "crash-database": _crash_database,
    "cut-database": _cut_database,
}
