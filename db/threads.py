"""Database work in a few threads, whoever asks for it.

A process has hundreds of turns or sockets, each with its thread or task. Were they all to write at
once, SQLite's lock would make them sleep and wake in turn, and PostgreSQL's pool would run dry.
Here they queue, first come, first served, and connections stay few and open.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connection, transaction

P = ParamSpec("P")
T = TypeVar("T")
Call = Callable[[], object]

logger = logging.getLogger(__name__)

# One writer at a time is all that SQLite has; the second thread prepares while the first commits.
THREADS = {"sqlite": 2}
OTHER_THREADS = 8

_here = threading.local()


@cache
def _threads() -> ThreadPoolExecutor:
    most = THREADS.get(connection.vendor, OTHER_THREADS)
    return ThreadPoolExecutor(most, thread_name_prefix="database")


@cache
def _afterwards() -> ThreadPoolExecutor:
    """Where a task's announcements are made: Redis may hold them for seconds when it is down."""
    return ThreadPoolExecutor(4, thread_name_prefix="announce")


def after_commit(call: Call) -> None:
    """Calls this once the transaction is committed, and not in a database thread's time."""
    transaction.on_commit(partial(_defer, call))


def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function that uses the ORM in one of the database threads and waits for it; what it
    left for after the commit is called here."""
    calls: list[Call] = []
    try:
        return _submit(calls, partial(function, *args, **kwargs)).result()
    finally:
        for call in calls:
            call()


async def from_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same for a coroutine, which does not wait for what comes after the commit."""
    calls: list[Call] = []
    try:
        return await asyncio.wrap_future(_submit(calls, partial(function, *args, **kwargs)))
    finally:
        if calls:
            _afterwards().submit(_call_all, calls)


def _submit(calls: list[Call], function: Callable[[], T]) -> Future[T]:
    return _threads().submit(_run, calls, function)


def _run(calls: list[Call], function: Callable[[], T]) -> T:
    _here.calls = calls
    close_old_connections()
    try:
        return function()
    finally:
        _here.calls = None
        close_old_connections()


def _defer(call: Call) -> None:
    waiting: list[Call] | None = getattr(_here, "calls", None)
    if waiting is None:
        call()
    else:
        waiting.append(call)


def _call_all(calls: list[Call]) -> None:
    """Nobody looks at the end of this thread, and one that fails keeps none of the others back."""
    for call in calls:
        try:
            call()
        except Exception:
            logger.exception("What was left for after a commit failed")
