import asyncio
import os
import threading

import pytest

from tests import patience
from tools import loop


@pytest.fixture(autouse=True)
def closed() -> None:
    loop.close()


async def thread_name() -> str:
    return threading.current_thread().name


def test_coroutines_run_in_one_thread_of_their_own() -> None:
    assert loop.run(thread_name(), 5) == loop.run(thread_name(), 5) == "loop"


def test_run_cancels_what_takes_too_long() -> None:
    ended = threading.Event()

    async def forever() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    with pytest.raises(TimeoutError):
        loop.run(forever(), 0.05)
    assert ended.wait(patience.SECONDS)


def test_run_raises_what_the_coroutine_raised() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        loop.run(fail(), 5)


def test_cancelling_the_future_cancels_the_task() -> None:
    started, ended = threading.Event(), threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    future = loop.submit(forever())
    assert started.wait(patience.SECONDS)
    future.cancel()
    assert ended.wait(patience.SECONDS)


def test_run_on_the_loop_itself_is_refused_instead_of_waiting_for_ever() -> None:
    async def nested() -> None:
        loop.run(thread_name())

    with pytest.raises(RuntimeError, match="await the coroutine"):
        loop.run(nested(), 5)


def test_close_lets_tasks_clean_up_and_a_new_loop_is_made_afterwards() -> None:
    cleaned = threading.Event()
    started = threading.Event()

    async def tidy() -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.01)
            cleaned.set()

    loop.submit(tidy())
    assert started.wait(patience.SECONDS)
    before = loop.get()
    loop.close()
    assert cleaned.is_set()
    assert before.is_closed()
    assert loop.get() is not before


def test_close_gives_up_on_a_task_that_does_not_end() -> None:
    started = threading.Event()

    async def stubborn() -> None:
        started.set()
        while True:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue

    loop.submit(stubborn())
    assert started.wait(patience.SECONDS)
    loop.close(timeout=0.1)
    assert loop.run(thread_name(), 5) == "loop"


def test_a_forked_process_makes_its_own_loop() -> None:
    loop.run(thread_name(), 5)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, loop.run(thread_name(), 5).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        assert stream.read() == "loop"
    os.waitpid(child, 0)
