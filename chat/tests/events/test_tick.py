"""How often running texts are written: by how quickly they arrive."""

import asyncio
import time
from typing import Any

import pytest

from chat.events import log
from chat.events.running_text import Flusher
from chat.events.tick import MIN_STEP_S, STEP_S, Tick
from chat.tests.events.test_running_text import always, read, running_text
from limits.web import MAX_STEP_S


class Clock:
    """In place of the module `time`: what sleeps, and the rests that were slept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rests: list[float] = []

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("chat.events.tick.time", clock)
    return clock


def step_at(clock: Clock, rate: float, work_s: float = 0.0) -> float:
    """The step after a second of so many texts a second, each written after `work_s`."""
    tick = Tick()
    arrived = 0.0
    while clock.now < 1:
        clock.now += max(work_s, 0.0005)
        while arrived < clock.now * rate:
            arrived += 1
            tick.count()
        tick.rest()
    return tick.step


@pytest.mark.parametrize("rate", [1, 50, 500, 1000])
def test_few_texts_are_written_at_once(clock: Clock, rate: int) -> None:
    assert step_at(clock, rate) == 0
    assert clock.rests == []


def test_the_texts_of_fifty_streams_are_written_together(clock: Clock) -> None:
    assert step_at(clock, 2500) == pytest.approx(STEP_S, rel=0.3)
    assert 0 < sum(clock.rests) < 1


def test_no_text_waits_longer_than_the_longest_step(clock: Clock) -> None:
    assert step_at(clock, 100_000) == MAX_STEP_S
    assert max(clock.rests) <= MAX_STEP_S


def test_a_process_whose_work_fills_the_step_does_not_rest(clock: Clock) -> None:
    assert step_at(clock, 10_000, work_s=MAX_STEP_S) > MIN_STEP_S
    assert clock.rests == []


async def _spoken(streams: int, words: int) -> list[Any]:
    flusher = Flusher(always)
    texts = [running_text() for _ in range(streams)]
    for running in texts:
        flusher.begin(running, [])
    # As quickly as 10,000 texts a second, for half a second at most.
    ends = time.monotonic() + 0.5
    for number in range(words):
        for running in texts:
            flusher.push(running, "content", f"{number} ")
        await asyncio.sleep(0.0001 * streams)
        if time.monotonic() > ends:
            break
    for running in texts:
        await flusher.drain(running)
    await flusher.close()
    return texts


def test_texts_that_arrive_together_are_written_by_one_script(redis_server: object) -> None:
    client: Any = log.client()
    client.config_resetstat()
    texts = asyncio.run(_spoken(streams=50, words=100))
    calls = client.info("commandstats")
    scripts = calls["cmdstat_evalsha"]["calls"]
    assert all(read(running) == running.texts()["content"] for running in texts)
    assert calls["cmdstat_publish"]["calls"] <= scripts + 1
    assert calls["cmdstat_xadd"]["calls"] >= 10 * scripts
