"""The bytes that calls hold in memory until they are written."""

import threading


class Budget:
    """Taken from on the event loop, given back by the writer's thread."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """False, and nothing is taken, if there is not so much left."""
        with self._lock:
            if self.used + size > self.limit:
                return False
            self.used += size
            return True

    def give_back(self, size: int) -> None:
        with self._lock:
            self.used -= size
