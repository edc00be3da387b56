"""The tool calls that this process runs, and how to interrupt them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from chat.engine.worker.interruption import Interruption


class RunningCalls:
    """The tool calls that this process runs, by the key of their span."""

    def __init__(self) -> None:
        self._entries: dict[int, Interruption] = {}
        self._lock = threading.Lock()
        self.closing = False

    @contextmanager
    def entry(self, call_id: int) -> Iterator[Interruption]:
        interruption = Interruption()
        with self._lock:
            self._entries[call_id] = interruption
        try:
            yield interruption
        finally:
            with self._lock:
                # The call may have been taken over within this process.
                if self._entries.get(call_id) is interruption:
                    del self._entries[call_id]

    def ids(self) -> list[int]:
        with self._lock:
            return list(self._entries)

    def interrupt(self, call_id: int) -> None:
        with self._lock:
            interruption = self._entries.get(call_id)
        if interruption is not None:
            interruption.interrupt()


running_calls = RunningCalls()
