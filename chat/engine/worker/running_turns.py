"""The turns that this process runs, and how to interrupt them.

The timer (`worker_timer`) renews their leases and reads their stop flags; the thread of a turn
waits for a future or for an interruption.
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


class RunningTurn:
    """One turn that this process owns. `reason` is why it was interrupted; the first one stays."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.reason: Cut | None = None
        self.interruption = Interruption()

    def interrupt(self, reason: Cut) -> None:
        """Stops the work at its next await or wait."""
        self.reason = self.reason or reason
        self.interruption.interrupt()


class RunningTurns:
    """The turns that this process runs, by key. Threads enter and leave; the timer reads."""

    def __init__(self) -> None:
        self._entries: dict[int, RunningTurn] = {}
        self._lock = threading.Lock()
        self.poked = threading.Event()
        self.closing = False

    @contextmanager
    def entry(self, claim: Claim) -> Iterator[RunningTurn]:
        running = RunningTurn(claim)
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

    def all(self) -> list[RunningTurn]:
        with self._lock:
            return list(self._entries.values())

    def __contains__(self, turn_id: int) -> bool:
        return turn_id in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def poke(self, turn_id: int) -> bool:
        """Has the timer look at this turn at once, not at its next beat. False: it runs elsewhere,
        or not at all."""
        if turn_id not in self._entries:
            return False
        self.poked.set()
        return True

    def close(self) -> None:
        """Interrupts all turns, and those that enter later, so that another process goes on."""
        self.closing = True
        for running in self.all():
            running.interrupt(Cut.HANDOVER)


running_turns = RunningTurns()
