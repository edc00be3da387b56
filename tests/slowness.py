"""How much slower this machine is at present than the one whose seconds stand in tests."""

import time
from collections.abc import Callable

ADDITIONS = 1_000_000
SECONDS = 0.05  # for so many additions, there


def slowness(clock: Callable[[], float] = time.thread_time) -> float:
    """1 for a machine that is as fast, or faster. By `time.monotonic` what else it does counts."""
    began = clock()
    sum(number for number in range(ADDITIONS))
    return max(1.0, (clock() - began) / SECONDS)
