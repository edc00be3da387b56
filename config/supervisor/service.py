"""A process that is restarted when it ends."""

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

# Seconds before the first restart; doubled for each further one, up to `MAX_RESTART_PAUSE_S`.
FIRST_PAUSE_S = 0.2
# A process that ran for more seconds was healthy: the pause begins anew. So it does after one that
# was ready for some: pauses are for what cannot start, not for what is killed now and then.
HEALTHY_S = 30.0
HEALTHY_READY_S = 3.0


@dataclass(frozen=True)
class Plan:
    """A process to run.

    `answers` waits until the process is ready; without it the process announces that itself
    (`config.readiness`). `mend` is called when the process has ended with an error before it was
    ready: it removes the cause, and returns what it did, or "". `last_signal` is sent to it when
    the supervisor dies. `record` is what its `run/<name>.json` has besides pid and start time.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    descriptors: Sequence[int] = ()
    answers: Callable[[], Awaitable[None]] | None = None
    mend: Callable[[], str] = str
    last_signal: int = signal.SIGKILL
    record: Mapping[str, Any] = field(default_factory=dict)


class Service:
    """Runs the process of a plan, and restarts it until it is stopped. `ready` is set while it is
    ready."""

    def __init__(self, plan: Plan, journal: Journal, run_folder: Path) -> None:
        self.plan = plan
        self.ready = asyncio.Event()
        self._journal = journal
        self._run_folder = run_folder
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()
        self._ready_at: float | None = None
        self._was_ready = False

    async def run(self) -> None:
        """Returns once the process has ended after a stop, or with `readiness.HOPELESS`."""
        pause = FIRST_PAUSE_S
        while not self._stopping.is_set():
            began = time.monotonic()
            self._was_ready = False
            status = await self._run_once()
            if self._stopping.is_set():
                return
            if self._was_healthy(began):
                pause = FIRST_PAUSE_S
            end = _end_sentence(status)
            if status == readiness.HOPELESS:
                self._journal.line(f"{end}; is not started again", shown=True)
                return
            self._journal.line(f"{end}; starts again in {pause:.1f} s", shown=True)
            if status > 0 and not self._was_ready and (mended := self.plan.mend()):
                self._journal.line(mended, shown=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(pause * 2, MAX_RESTART_PAUSE_S)

    def _was_healthy(self, began: float) -> bool:
        ready_at, self._ready_at = self._ready_at, None
        now = time.monotonic()
        was_ready = ready_at is not None and now - ready_at > HEALTHY_READY_S
        return was_ready or now - began > HEALTHY_S

    def terminate(self) -> None:
        """Send SIGTERM, and do not restart the process."""
        self._stopping.set()
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._stopping.set()
        self._send(signal.SIGKILL)

    async def _run_once(self) -> int:
        plan = self.plan
        read_end, write_end = os.pipe()
        try:
            process = await spawn(
                plan.command,
                environment={**plan.environment, readiness.VARIABLE: str(write_end)},
                folder=plan.folder,
                descriptors=[*plan.descriptors, write_end],
                last_signal=plan.last_signal,
            )
        finally:
            os.close(write_end)
        self._process = process
        records.write(self._run_folder, plan.name, process.pid, **plan.record)
        if self._stopping.is_set():  # stopped while it was being started
            self._send(signal.SIGTERM)
        watcher = asyncio.create_task(self._watch_readiness(read_end))
        return await self._wait_for_end(process, watcher)

    async def _wait_for_end(
        self, process: asyncio.subprocess.Process, watcher: asyncio.Task[None]
    ) -> int:
        """The exit status. Kills what the process leaves in its process group."""
        assert process.stdout is not None
        output = asyncio.create_task(self._journal.follow(process.stdout))
        status = await process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        # A descendant in another group may hold the pipe open; its output is not waited for.
        await asyncio.wait([output], timeout=MAX_DRAIN_S)
        for task in (output, watcher):
            task.cancel()
        await asyncio.gather(output, watcher, return_exceptions=True)
        self._process = None
        self.ready.clear()
        return status

    async def _watch_readiness(self, read_end: int) -> None:
        with os.fdopen(read_end, "rb", buffering=0) as pipe:
            if self.plan.answers is not None:
                await self.plan.answers()
            elif not await _first_bytes(pipe):
                return
        self._was_ready = True
        self.ready.set()

    def _send(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)


async def _first_bytes(pipe: Any) -> bytes:
    """The first bytes written to the pipe; b"" if its other end was closed."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(pipe, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(pipe)
    return bytes(pipe.read(64))


def _end_sentence(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
