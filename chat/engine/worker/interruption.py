"""Interrupting work that a thread waits for."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Interruption:
    """Cancels the work of a thread, now or as soon as it has begun."""

    def __init__(self) -> None:
        self.happened = threading.Event()
        self._cancel: Callable[[], object] | None = None
        self._lock = threading.Lock()

    def interrupt(self) -> None:
        """From any thread, any number of times."""
        with self._lock:
            self.happened.set()
            if self._cancel is not None:
                self._cancel()

    @contextmanager
    def cancelled_by(self, cancel: Callable[[], object]) -> Iterator[None]:
        """While inside, an interruption calls `cancel`; at once if there was one before."""
        with self._lock:
            self._cancel = cancel
            if self.happened.is_set():
                cancel()
        try:
            yield
        finally:
            with self._lock:
                self._cancel = None
