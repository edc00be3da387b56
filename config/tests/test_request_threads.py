"""Requests on threads that are used again."""

import asyncio
import threading
from typing import Any

from asgiref.sync import sync_to_async

from config.request_threads import RequestThreads
from limits.web import MAX_IDLE_REQUEST_THREADS


class Threads:
    """An application that notes the thread of each request; `count` requests run at once."""

    def __init__(self, count: int) -> None:
        self.seen: list[threading.Thread] = []
        self._together = threading.Barrier(count)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(self._note)()

    def _note(self) -> None:
        self._together.wait(5)
        self.seen.append(threading.current_thread())


def serve(rounds: int, at_once: int) -> list[threading.Thread]:
    """The threads of `rounds` times `at_once` requests."""
    application = Threads(at_once)
    middleware = RequestThreads(application)

    async def run() -> None:
        for _ in range(rounds):
            await asyncio.gather(*(middleware({}, None, None) for _ in range(at_once)))

    asyncio.run(run())
    return application.seen


def test_requests_one_after_another_share_a_thread() -> None:
    assert len(set(serve(rounds=5, at_once=1))) == 1


def test_requests_at_the_same_time_have_a_thread_each() -> None:
    assert len(set(serve(rounds=1, at_once=3))) == 3


def test_few_idle_threads_are_kept() -> None:
    at_once = MAX_IDLE_REQUEST_THREADS + 2

    threads = serve(rounds=2, at_once=at_once)

    assert len(set(threads)) == at_once + 2


def test_a_failed_request_gives_its_thread_back() -> None:
    idents: list[int] = []

    async def fails(scope: Any, receive: Any, send: Any) -> None:
        idents.append(await sync_to_async(threading.get_ident)())
        raise ConnectionError

    middleware = RequestThreads(fails)

    async def run() -> None:
        await asyncio.gather(middleware({}, None, None), return_exceptions=True)
        await asyncio.gather(middleware({}, None, None), return_exceptions=True)

    asyncio.run(run())
    assert idents[0] == idents[1]
