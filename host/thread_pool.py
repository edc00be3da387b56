"""A thread pool whose idle threads end.

The threads of `concurrent.futures.ThreadPoolExecutor` stay for ever: after one moment with 200
turns a process would keep 200 threads, and the memory that each has come to hold.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Seconds without work after which a thread ends.
IDLE_S = 20.0


class ThreadPool(Executor):
    """At most `max_threads` threads, started when there is work for them. They do not hold up the
    end of the process: `shutdown` waits for them."""

    def __init__(self, max_threads: int, name: str, idle_seconds: float = IDLE_S) -> None:
        self._max_threads = max_threads
        self._name = name
        self._idle_seconds = idle_seconds
        self._waiting: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Raises RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        with self._changed:
            if self._closed:
                raise RuntimeError("the pool is shut down")
            self._waiting.append(partial(_run, future, partial(fn, *args, **kwargs)))
            if len(self._waiting) > self._idle and len(self._threads) < self._max_threads:
                self._start()
            else:
                self._changed.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """What was submitted is done, unless `cancel_futures`."""
        with self._changed:
            self._closed = True
            if cancel_futures:
                self._waiting.clear()
            self._changed.notify_all()
            threads = list(self._threads)
        for thread in threads if wait else ():
            thread.join()

    def __len__(self) -> int:
        """The number of its threads."""
        return len(self._threads)

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task()
            del task  # what it holds is let go of while the thread waits

    def _next(self) -> Callable[[], None] | None:
        """The next task; None if the thread is to end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting or self._closed, self._idle_seconds)
            self._idle -= 1
            if self._waiting:
                return self._waiting.popleft()
            self._threads.discard(threading.current_thread())
            return None


def _run(future: "Future[Any]", call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
