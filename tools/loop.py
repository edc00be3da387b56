"""The asyncio loop of this process, in a thread of its own.

MCP sessions and provider streams live on it; threads hand it coroutines and wait for the result. It
is made when first asked for, so that a worker that forks gets its own. It never touches the ORM.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

try:
    import uvloop
except ImportError:  # it has no wheel for every platform
    _new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
else:
    _new_loop = uvloop.new_event_loop

T = TypeVar("T")

THREADS = 64

_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def get() -> asyncio.AbstractEventLoop:
    """The running loop, started if there is none yet."""
    global _loop, _thread
    with _guard:
        if _loop is None:
            _loop = _new_loop()
            # Each call of a tool waits in one of these for a moment; asyncio's own are few.
            _loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="loop"))
            _thread = threading.Thread(target=_run, args=(_loop,), name="loop", daemon=True)
            _thread.start()
        return _loop


def submit(coro: Coroutine[Any, Any, T]) -> Future[T]:
    """Start `coro` on the loop from any thread. Cancelling the future cancels the task."""
    return asyncio.run_coroutine_threadsafe(coro, get())


def run(coro: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
    """Run `coro` on the loop and wait in this thread; after `timeout` s it is cancelled.

    Raises `TimeoutError`, or what the coroutine raised. Not for use on the loop itself.
    """
    if threading.current_thread() is _thread:
        coro.close()
        raise RuntimeError("loop.run() would wait for its own thread; await the coroutine instead")
    future = submit(coro)
    try:
        return future.result(timeout)
    finally:
        future.cancel()


def close(timeout: float = 10.0) -> None:
    """Cancel every task, give them `timeout` s to clean up, and stop the loop. May be repeated."""
    global _loop, _thread
    with _guard:
        loop, thread, _loop, _thread = _loop, _thread, None, None
    if loop is None or thread is None:
        return
    ended = asyncio.run_coroutine_threadsafe(_cancel_all(timeout), loop)
    ended.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
    thread.join(timeout + 1)


async def _cancel_all(timeout: float) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=timeout)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _forget() -> None:
    """A forked child has the parent's loop without its thread, and maybe a locked guard."""
    global _guard, _loop, _thread
    _guard, _loop, _thread = threading.Lock(), None, None


os.register_at_fork(after_in_child=_forget)
atexit.register(close)
