"""Sends scripts at their rates: one timer for all streams, and no drift.

The due time of token i is start + i / rate, whatever happened to the tokens before it. Timers
of the event loop count milliseconds, so a token is at most about one late; its own stamp is
taken when it is rendered.
"""

import asyncio
import heapq
import time
from typing import Protocol

from benchmarks.stub.wire import Action, Script, Signal

BURST = 32


class Sink(Protocol):
    """Where a stream writes: one HTTP response."""

    paused: bool

    def write(self, chunk: bytes) -> None: ...
    def end(self) -> None: ...
    def close(self) -> None: ...
    def reset(self) -> None: ...


class Stream:
    """One script on its way to one sink. `rate` 0: as quick as the sink takes it."""

    def __init__(self, script: Script, sink: Sink, rate: int, start: float) -> None:
        self.due = start
        self.over = False
        self.queued = False
        self._script = script
        self._sink = sink
        self._start = start
        self._rate = rate
        self._slots = 0

    def advance(self, now: float) -> bool:
        """Write what is due; False if the stream is over, or held by a slow reader."""
        written = 0
        while not self._sink.paused and written < BURST:
            action = next(self._script, None)
            if isinstance(action, bytes):
                self._sink.write(action)
                written += 1
            elif action is Signal.SLOT:
                if self._rate and self._next_slot() > now:
                    return True
            elif action is not Signal.FINISH:
                self._finish(action)
                return False
        return not self._sink.paused

    def _next_slot(self) -> float:
        self._slots += 1
        self.due = self._start + self._slots / self._rate
        return self.due

    def _finish(self, action: Action | None) -> None:
        self.over = True
        match action:
            case Signal.RESET:
                self._sink.reset()
            case Signal.CLOSE:
                self._sink.close()
            case None:
                self._sink.end()


class Pacer:
    """Advances every stream when it is due."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._heap: list[tuple[float, int, Stream]] = []
        self._order = 0
        self._timer: asyncio.Handle | None = None
        self._timer_due = 0.0

    def add(self, stream: Stream) -> None:
        """Begin or go on with a stream; one that is waiting for its time goes on waiting."""
        if not stream.queued:
            self._push(stream)
            self._arm()

    def _push(self, stream: Stream) -> None:
        stream.queued = True
        self._order += 1
        heapq.heappush(self._heap, (stream.due, self._order, stream))

    def _arm(self) -> None:
        if not self._heap:
            return
        due = self._heap[0][0]
        if self._timer and self._timer_due <= due:
            return
        if self._timer:
            self._timer.cancel()
        self._timer_due = due
        wait = due - time.monotonic()
        self._timer = (
            self._loop.call_later(max(wait, 0.001), self._tick)
            if wait > 0
            else self._loop.call_soon(self._tick)
        )

    def _tick(self) -> None:
        self._timer = None
        now = time.monotonic()
        ready = []
        while self._heap and self._heap[0][0] <= now:
            ready.append(heapq.heappop(self._heap)[2])
        for stream in ready:
            stream.queued = False
            if not stream.over and stream.advance(now):
                self._push(stream)
        self._arm()
