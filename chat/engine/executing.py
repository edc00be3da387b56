"""The tool calls that this process executes, and how to interrupt them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Executing:
    """One call under way. An interruption before it has begun counts too."""

    def __init__(self) -> None:
        self._cancel: Callable[[], object] | None = None
        self._interrupted = False
        self._lock = threading.Lock()

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            if self._cancel is not None:
                self._cancel()

    @contextmanager
    def cancelled_by(self, cancel: Callable[[], object]) -> Iterator[None]:
        with self._lock:
            self._cancel = cancel
            if self._interrupted:
                cancel()
        try:
            yield
        finally:
            with self._lock:
                self._cancel = None


class Registry:
    """The calls of this process, by span."""

    def __init__(self) -> None:
        self._entries: dict[int, Executing] = {}
        self._lock = threading.Lock()
        self.closing = False

    @contextmanager
    def entry(self, call_id: int) -> Iterator[Executing]:
        executing = Executing()
        with self._lock:
            self._entries[call_id] = executing
        try:
            yield executing
        finally:
            with self._lock:
                self._entries.pop(call_id, None)

    def ids(self) -> list[int]:
        with self._lock:
            return list(self._entries)

    def interrupt(self, call_id: int) -> None:
        with self._lock:
            executing = self._entries.get(call_id)
        if executing is not None:
            executing.interrupt()


registry = Registry()
