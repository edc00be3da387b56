"""Starts a stub for a test or a benchmark: in a thread, or in a process of its own."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import uvloop

from benchmarks.stub.journal import LoggedRequest
from benchmarks.stub.protocols import PATHS
from benchmarks.stub.server import StubServer
from host.processes import parent_death_signal

POLL = 0.01
ROOT = Path(__file__).resolve().parents[2]


class StubHandle:
    """A running stub: `url`, `base_url` (with `/v1`) and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.base_url = f"{url}/v1"

    @property
    def requests(self) -> list[LoggedRequest]:
        """Every exchange so far, oldest first, also those in progress."""
        return self.requests_since(0)

    @property
    def completions(self) -> list[LoggedRequest]:
        """The exchanges of `/v1/chat/completions` and `/v1/messages`."""
        return [request for request in self.requests if request.path in PATHS]

    def requests_since(self, number: int) -> list[LoggedRequest]:
        """The exchanges with a higher `number`."""
        raise NotImplementedError

    def wait_for(
        self, condition: Callable[[list[LoggedRequest]], object], timeout: float = 5.0
    ) -> list[LoggedRequest]:
        """The completions as soon as the condition holds for them; raises TimeoutError."""
        deadline = time.monotonic() + timeout
        pause = threading.Event()
        while not condition(completions := self.completions):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {timeout} s; {len(completions)} completions so far")
            pause.wait(POLL)
        return completions


class Stub(StubHandle):
    """A stub in a thread of this process."""

    def __init__(self, url: str, server: StubServer) -> None:
        super().__init__(url)
        self.server = server

    def requests_since(self, number: int) -> list[LoggedRequest]:
        return self.server.journal.since(number)


class StubProcess(StubHandle):
    """A stub in a process of its own."""

    def __init__(self, url: str, pid: int) -> None:
        super().__init__(url)
        self.pid = pid

    def requests_since(self, number: int) -> list[LoggedRequest]:
        with urlopen(f"{self.url}/log?since={number}", timeout=30) as response:
            return [LoggedRequest.from_json(row) for row in json.load(response)["requests"]]


@contextmanager
def running_stub(log: bool = True) -> Iterator[Stub]:
    """A stub in a thread; it stops, and cuts its streams, when the block ends."""
    loop = uvloop.new_event_loop()
    server = StubServer(log)
    url = loop.run_until_complete(server.start())
    thread = threading.Thread(target=loop.run_forever, name="stub", daemon=True)
    thread.start()
    try:
        yield Stub(url, server)
    finally:
        loop.call_soon_threadsafe(server.stop)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=5)
        loop.close()


@contextmanager
def stub_process(log: bool = True) -> Iterator[StubProcess]:
    """A stub in a process of its own, so that it does not share this one's GIL."""
    command = [sys.executable, "-m", "benchmarks.stub", "--port", "0"]
    process = subprocess.Popen(
        command if log else [*command, "--no-log"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=parent_death_signal(),
    )
    assert process.stdout
    try:
        yield StubProcess(process.stdout.readline().strip(), process.pid)
    finally:
        process.terminate()
        process.wait(timeout=5)
        process.stdout.close()


def serve(port: int, log: bool, announce: Callable[[str], None]) -> None:
    """Run a stub until the process is told to stop."""

    async def run() -> None:
        announce(await StubServer(log).start(port))
        await asyncio.Event().wait()

    uvloop.run(run())
