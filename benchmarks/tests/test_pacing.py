import asyncio
import time
from dataclasses import dataclass, field

from benchmarks.stub.pacing import Pacer, Stream
from benchmarks.stub.wire import Action, Signal


@dataclass
class Page:
    """A sink that records the chunks written to it, and their times."""

    paused: bool = False
    written: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    ending: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def write(self, chunk: bytes) -> None:
        self.written.append(chunk)
        self.times.append(time.monotonic())

    def end(self) -> None:
        self._over("end")

    def close(self) -> None:
        self._over("close")

    def reset(self) -> None:
        self._over("reset")

    def _over(self, ending: str) -> None:
        self.ending = ending
        self.over.set()


def slots(count: int) -> list[Action]:
    return [action for i in range(count) for action in (str(i).encode(), Signal.SLOT)]


async def sent(page: Page, script: list[Action], rate: int) -> Page:
    pacer = Pacer(asyncio.get_running_loop())
    pacer.add(Stream(iter(script), page, rate, time.monotonic()))
    async with asyncio.timeout(5):
        await page.over.wait()
    return page


def test_a_stream_without_a_rate_arrives_whole() -> None:
    page = asyncio.run(sent(Page(), slots(1_000), 0))
    assert page.written == [str(i).encode() for i in range(1_000)]
    assert page.ending == "end"


def test_a_signal_ends_the_stream_in_its_way() -> None:
    for signal, ending in ((Signal.CLOSE, "close"), (Signal.RESET, "reset")):
        page = asyncio.run(sent(Page(), [b"x", signal, b"never"], 0))
        assert (page.written, page.ending) == ([b"x"], ending)


def test_no_token_comes_before_its_time() -> None:
    page = asyncio.run(sent(Page(), slots(20), 200))
    assert all(at - page.times[0] > i / 200 - 0.004 for i, at in enumerate(page.times))


def test_a_slow_reader_holds_the_stream_and_gets_the_rest_later() -> None:
    async def held() -> Page:
        page = Page(paused=True)
        pacer = Pacer(asyncio.get_running_loop())
        stream = Stream(iter(slots(3)), page, 0, time.monotonic())
        pacer.add(stream)
        while stream.queued:
            await asyncio.sleep(0)
        assert page.written == []
        page.paused = False
        pacer.add(stream)
        await asyncio.wait_for(page.over.wait(), 5)
        return page

    assert asyncio.run(held()).written == [b"0", b"1", b"2"]


def test_going_on_while_it_waits_does_not_hurry_a_stream() -> None:
    async def nudged() -> Page:
        page = Page()
        pacer = Pacer(asyncio.get_running_loop())
        stream = Stream(iter(slots(10)), page, 100, time.monotonic())
        pacer.add(stream)
        while not page.over.is_set():
            pacer.add(stream)
            await asyncio.sleep(0.001)
        return page

    page = asyncio.run(nudged())
    assert page.times[-1] - page.times[0] > 9 / 100 - 0.004
