"""The thread pool for database work.

A process has hundreds of turns or sockets, each with its thread or task. If all of them wrote at
once, SQLite's lock would make them sleep and poll, and PostgreSQL's connection pool would be
exhausted. Here they queue, first in, first out, for few connections that stay open. What a caller
has in context variables (the language, the entrance of the audit log) counts there too.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.db import (
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
    transaction,
)

from limits.processes import MAX_DATABASE_AWAY_S

P = ParamSpec("P")
T = TypeVar("T")
Call = Callable[[], object]

logger = logging.getLogger(__name__)

# SQLite has one writer at a time; the second thread prepares while the first commits.
THREADS = {"sqlite": 2}
OTHER_THREADS = 8
# Seconds between two tries of `in_database_again`.
AGAIN_S = 1.0

_here = threading.local()


@cache
def _threads() -> ThreadPoolExecutor:
    most = THREADS.get(connection.vendor, OTHER_THREADS)
    return ThreadPoolExecutor(most, thread_name_prefix="database")


@cache
def _afterwards() -> ThreadPoolExecutor:
    """The threads for calls after a commit: with Redis down each may take seconds."""
    return ThreadPoolExecutor(4, thread_name_prefix="announce")


def after_commit(call: Call) -> None:
    """Runs `call` after the commit of the transaction, outside of the database threads."""
    transaction.on_commit(partial(_defer, call))


def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a function that uses the ORM in a database thread and waits for it; its `after_commit`
    calls run in the caller's thread."""
    calls: list[Call] = []
    try:
        return _submit(calls, partial(function, *args, **kwargs)).result()
    finally:
        for call in calls:
            call()


def in_database_again(function: Callable[[], T]) -> T:
    """The same for a function that may be repeated: while the database cannot be used, it is, for
    up to `MAX_DATABASE_AWAY_S`. Raises what the last try raised."""
    gives_up_at = time.monotonic() + MAX_DATABASE_AWAY_S
    while True:
        try:
            return in_database(function)
        except (InterfaceError, OperationalError):
            if time.monotonic() > gives_up_at:
                raise
            logger.warning("The database failed; it is tried again", exc_info=True)
            time.sleep(AGAIN_S)


async def from_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same for a coroutine, which does not wait for the `after_commit` calls: they begin before
    it goes on, in threads of their own."""
    call = partial(function, *args, **kwargs)
    future = _threads().submit(copy_context().run, _run_and_announce, call)
    return await asyncio.wrap_future(future)


def _submit(calls: list[Call], function: Callable[[], T]) -> Future[T]:
    return _threads().submit(copy_context().run, _run, calls, function)


def _run(calls: list[Call], function: Callable[[], T]) -> T:
    _here.calls = calls
    close_old_connections()
    try:
        return function()
    finally:
        _here.calls = None
        close_old_connections()


def _run_and_announce(function: Callable[[], T]) -> T:
    calls: list[Call] = []
    try:
        return _run(calls, function)
    finally:
        if calls:
            _afterwards().submit(_call_all, calls)


def _defer(call: Call) -> None:
    waiting: list[Call] | None = getattr(_here, "calls", None)
    if waiting is None:
        call()
    else:
        waiting.append(call)


def _call_all(calls: list[Call]) -> None:
    """Runs all of them; one that fails is logged."""
    for call in calls:
        try:
            call()
        except Exception:
            logger.exception("A call after a commit failed")
