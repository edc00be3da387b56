"""How much slower this machine is at present than the one whose seconds stand in tests."""

import time

ADDITIONS = 1_000_000
SECONDS = 0.05  # CPU time of so many additions, there


def slowness() -> float:
    """1 for a machine that is as fast, or faster."""
    began = time.thread_time()
    sum(number for number in range(ADDITIONS))
    return max(1.0, (time.thread_time() - began) / SECONDS)
