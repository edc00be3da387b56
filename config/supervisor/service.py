"""A process that is kept running."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import readiness
from config.supervisor import records
from config.supervisor.journal import Journal
from config.supervisor.spawning import spawn
from limits.processes import MAX_DRAIN_S, MAX_RESTART_PAUSE_S

FIRST_PAUSE = 0.2
# Who lived that long is healthy: its next end is a new story.
HEALTHY_SECONDS = 30.0


@dataclass(frozen=True)
class Plan:
    """What to run. `answers` waits until it does; without it the process says so itself."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    descriptors: Sequence[int] = ()
    answers: Callable[[], Awaitable[None]] | None = None
    last_signal: int = signal.SIGKILL
    record: Mapping[str, Any] = field(default_factory=dict)


class Service:
    """Runs a plan again and again until it is stopped."""

    def __init__(self, plan: Plan, journal: Journal, run_folder: Path) -> None:
        self.plan = plan
        self.ready = asyncio.Event()
        self._journal = journal
        self._run_folder = run_folder
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Returns when the process has ended and was stopped, or says that it is hopeless."""
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            began = time.monotonic()
            status = await self._run_once()
            if self._stopping.is_set():
                return
            if time.monotonic() - began > HEALTHY_SECONDS:
                pause = FIRST_PAUSE
            ended = _how(status)
            if status == readiness.HOPELESS:
                self._journal.line(f"{ended}; is not started again", shown=True)
                return
            self._journal.line(f"{ended}; starts again in {pause:.1f} s", shown=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(pause * 2, MAX_RESTART_PAUSE_S)

    def terminate(self) -> None:
        """Ask the process to end, and do not start it again."""
        self._stopping.set()
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._stopping.set()
        self._send(signal.SIGKILL)

    async def _run_once(self) -> int:
        plan = self.plan
        announced, says_ready = os.pipe()
        try:
            process = await spawn(
                plan.command,
                environment={**plan.environment, readiness.VARIABLE: str(says_ready)},
                folder=plan.folder,
                descriptors=[*plan.descriptors, says_ready],
                last_signal=plan.last_signal,
            )
        finally:
            os.close(says_ready)
        self._process = process
        records.write(self._run_folder, plan.name, process.pid, **plan.record)
        if self._stopping.is_set():  # while it was started
            self._send(signal.SIGTERM)
        watcher = asyncio.create_task(self._watch(announced))
        return await self._see_off(process, watcher)

    async def _see_off(
        self, process: asyncio.subprocess.Process, watcher: asyncio.Task[None]
    ) -> int:
        """Wait for the end of the process, and of what it left in its group."""
        assert process.stdout is not None
        output = asyncio.create_task(self._journal.follow(process.stdout))
        status = await process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        # A grandchild elsewhere may hold the pipe open: what it says is not waited for.
        await asyncio.wait([output], timeout=MAX_DRAIN_S)
        for task in (output, watcher):
            task.cancel()
        await asyncio.gather(output, watcher, return_exceptions=True)
        self._process = None
        self.ready.clear()
        return status

    async def _watch(self, announced: int) -> None:
        with os.fdopen(announced, "rb", buffering=0) as pipe:
            if self.plan.answers is not None:
                await self.plan.answers()
            elif not await _line_on(pipe):
                return
        self.ready.set()

    def _send(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)


async def _line_on(pipe: Any) -> bytes:
    """What was written to the pipe; b"" if its other end was closed."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(pipe, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(pipe)
    return bytes(pipe.read(64))


def _how(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
