"""A rate limit for what a server sends, so that the rest of the process does not starve."""

import asyncio
import time


class Throttle:
    """Lets `per_second` units through, and up to `most` of them at once (a token bucket)."""

    def __init__(self, per_second: int, *, most: int | None = None) -> None:
        self.per_second = per_second
        self.most = per_second if most is None else most
        self._left = float(self.most)
        self._renewed = time.monotonic()

    async def spend(self, units: int) -> None:
        """Takes `units`; sleeps as long as more were taken than there are."""
        self._renew()
        self._left -= units
        if self._left < 0:
            await asyncio.sleep(-self._left / self.per_second)

    def take(self, units: int) -> bool:
        """Takes `units` and answers True, if there are as many."""
        self._renew()
        if self._left < units:
            return False
        self._left -= units
        return True

    def _renew(self) -> None:
        now = time.monotonic()
        back = (now - self._renewed) * self.per_second
        self._left, self._renewed = min(self._left + back, self.most), now
