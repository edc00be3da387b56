"""What this process is running: turns and calls, and how to interrupt them.

The timer (`worker_timer`) renews the leases of what is here and reads its stop flags; a thread that
works on an entry waits for a future or for its interruption.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from chat.engine.turn.claims import Claim
from chat.engine.worker.interruption import Interruption


class Cut(Enum):
    """Why work was interrupted."""

    STOPPED = "stopped"
    FENCED = "fenced"
    HANDOVER = "handover"


class Running:
    """One turn that this process owns. `reason` is set once; the first one stays."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.reason: Cut | None = None
        self.interruption = Interruption()

    def interrupt(self, reason: Cut) -> None:
        """Stops the work at its next await or wait."""
        self.reason = self.reason or reason
        self.interruption.interrupt()


class Registry:
    """The running entries of this process, by turn. Threads enter and leave; the timer looks."""

    def __init__(self) -> None:
        self._entries: dict[int, Running] = {}
        self._lock = threading.Lock()
        self.poked = threading.Event()
        self.closing = False

    @contextmanager
    def entry(self, claim: Claim) -> Iterator[Running]:
        running = Running(claim)
        with self._lock:
            older = self._entries.get(claim.turn_id)
            self._entries[claim.turn_id] = running
        if older is not None:
            older.interrupt(Cut.FENCED)
        if self.closing:
            running.interrupt(Cut.HANDOVER)
        try:
            yield running
        finally:
            with self._lock:
                if self._entries.get(claim.turn_id) is running:
                    del self._entries[claim.turn_id]

    def all(self) -> list[Running]:
        with self._lock:
            return list(self._entries.values())

    def __contains__(self, turn_id: int) -> bool:
        return turn_id in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def poke(self, turn_id: int) -> None:
        """Something may have happened to this turn: look at once, not at the next beat."""
        if turn_id in self._entries:
            self.poked.set()

    def close(self) -> None:
        """Interrupts everything so that another process can go on; new entries too."""
        self.closing = True
        for running in self.all():
            running.interrupt(Cut.HANDOVER)


registry = Registry()
