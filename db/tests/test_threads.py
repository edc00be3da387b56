"""Database work in threads, and what is left for after the commit."""

import asyncio
import threading

from db.threads import after_commit, from_loop


def test_what_fails_after_a_commit_keeps_nothing_else_back(transactional_db: None) -> None:
    called = threading.Event()

    def work() -> None:
        after_commit(lambda: 1 / 0)
        after_commit(called.set)

    asyncio.run(from_loop(work))
    assert called.wait(5)
