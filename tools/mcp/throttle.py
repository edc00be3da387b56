"""A brake for what a server may pour out: the rest of the process must not starve."""

import asyncio
import time


class Throttle:
    """Lets `per_second` units through; whoever spends more sleeps until the second is over."""

    def __init__(self, per_second: int) -> None:
        self.per_second = per_second
        self._left = per_second
        self._renewed = time.monotonic()

    async def spend(self, units: int) -> None:
        now = time.monotonic()
        if now - self._renewed >= 1:
            self._left, self._renewed = self.per_second, now
        self._left -= units
        if self._left < 0:
            await asyncio.sleep(max(self._renewed + 1 - now, 0))
