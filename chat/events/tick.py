"""How often a process writes running texts: at once while few texts arrive, in steps while many do.

A loop that wakes for every token of every stream spends most of its time on waking. So where texts
arrive quickly the thread of the loop sleeps after each write (`time.sleep`, as a network card that
holds its interrupts back): all that arrives meanwhile, of all streams, is read in one go, and
written in one go. `docs/decisions/flush-window.md` has the figures.
"""

import time

from limits.web import MAX_STEP_S

# The step at `RATE` texts a second, as of 50 streams; at twice as many it is four times as long.
RATE = 2500
STEP_S = 0.0015
# Below this a step joins too few texts to be worth a sleep.
MIN_STEP_S = 0.001
# Seconds over which the rate is averaged.
RATE_S = 0.2


class Tick:
    """For the loop's thread. `step`: length of a step in seconds, 0 while few texts arrive."""

    def __init__(self) -> None:
        self.step = 0.0
        self._rate = 0.0  # texts a second
        self._count = 0  # texts since `_counted_at`
        self._counted_at = self._began_at = time.perf_counter()

    def count(self) -> None:
        """To be called for each text that arrives."""
        self._count += 1

    def rest(self) -> None:
        """To be called after each write: sleeps for the rest of the step. A process whose work
        fills the step does not sleep."""
        now = time.perf_counter()
        self._measure(now)
        rest = self._began_at + self.step - now
        if rest > 0:
            time.sleep(rest)
            now = time.perf_counter()
        self._began_at = now

    def _measure(self, now: float) -> None:
        elapsed = max(now - self._counted_at, 1e-6)
        weight = min(1.0, elapsed / RATE_S)
        self._rate += weight * (self._count / elapsed - self._rate)
        self._count, self._counted_at = 0, now
        step = min(MAX_STEP_S, STEP_S * (self._rate / RATE) ** 2)
        self.step = step if step >= MIN_STEP_S else 0.0
