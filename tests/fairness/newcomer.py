"""What the other user does meanwhile, and how many seconds it takes."""

import statistics
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

import httpx2

from tests.faults.browser import Browser

SECONDS = 60.0
SAMPLES = 3
CALL = 'call calculate {"expr": "6 * 7"}'


@dataclass(frozen=True)
class Figures:
    """Seconds by the clock, each a median: of a turn from its sending to its end; of two pages (the
    conversation and the list of traces); of a turn with one tool call."""

    turn: float
    page: float
    call: float

    def slowest(self, other: "Figures") -> "Figures":
        """The higher one of each figure."""
        return Figures(*map(max, astuple(self), astuple(other)))


class Newcomer:
    """Another user's browser, which opens no connection of its own while it is measured."""

    def __init__(self, url: str, cookie: str, quick: str, calling: str) -> None:
        self._tab = Browser(url, cookie)
        self._pages = httpx2.Client(
            base_url=url, headers={"Cookie": cookie}, timeout=SECONDS, trust_env=False
        )
        self._quick, self._calling = quick, calling

    def measured(self) -> Figures:
        return Figures(_median(self._turn), _median(self._page), _median(self._call))

    def close(self) -> None:
        self._tab.cut()
        self._pages.close()

    def _turn(self) -> None:
        key = self._tab.send(self._quick)
        self._tab.until_over(key, SECONDS)
        assert self._tab.shown(key).state == "done"

    def _page(self) -> None:
        for address in (f"/c/{self._tab.conversation}/", "/traces/"):
            assert self._pages.get(address).status_code == 200

    def _call(self) -> None:
        key = self._tab.send(self._calling, CALL)
        self._tab.until_over(key, SECONDS)
        assert self._tab.shown(key).state == "done"
        states = {frame["state"] for frame in self._tab.frames if frame["type"] == "call"}
        assert "succeeded" in states and "failed" not in states


def _median(action: Callable[[], None]) -> float:
    return statistics.median(_seconds(action) for _ in range(SAMPLES))


def _seconds(action: Callable[[], None]) -> float:
    began = time.monotonic()
    action()
    return time.monotonic() - began
