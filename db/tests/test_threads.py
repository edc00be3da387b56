"""Database work in threads, and what is left for after the commit."""

import asyncio
import threading
from contextvars import ContextVar

import pytest

from db.threads import after_commit, from_loop, in_database

pytestmark = pytest.mark.postgres


def test_what_fails_after_a_commit_keeps_nothing_else_back(transactional_db: None) -> None:
    called = threading.Event()

    def work() -> None:
        after_commit(lambda: 1 / 0)
        after_commit(called.set)

    asyncio.run(from_loop(work))
    assert called.wait(5)


def test_context_variables_of_the_caller_count_in_database_threads(transactional_db: None) -> None:
    variable: ContextVar[str] = ContextVar("variable", default="none")
    variable.set("the caller's")

    assert in_database(variable.get) == "the caller's"
    assert asyncio.run(from_loop(variable.get)) == "the caller's"
