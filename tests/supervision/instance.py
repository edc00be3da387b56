"""One supervisor with what it runs."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.processes import tree
from host.processes import parent_death_signal, start_time
from tests import patience

ROOT = Path(__file__).resolve().parents[2]
PAUSE = 0.02


def wait_until(condition: Callable[[], Any], seconds: float = patience.SECONDS) -> float:
    """How long it took for the condition to hold; raises TimeoutError."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise TimeoutError(f"not within {seconds:g} s")
        time.sleep(PAUSE)
    return time.monotonic() - began


def is_alive(pid: int) -> bool:
    return start_time(pid) != ""


class Instance:
    """Starts by `start`; `lines` is what it has said so far."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.home = home
        self.environment = environment
        self.url = f"http://127.0.0.1:{environment['PORT']}"
        self.lines: list[str] = []
        self._said: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._seen: dict[int, str] = {}  # start times by pid
        self._process: subprocess.Popen[bytes] | None = None

    def spawn(self, *, terminal: bool = False) -> None:
        """Its output goes to a pipe, or to a terminal."""
        reads, writes = os.openpty() if terminal else os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"],
            cwd=ROOT,
            env=dict(self.environment),
            stdout=writes,
            stderr=writes,
            preexec_fn=parent_death_signal(),
        )
        os.close(writes)
        threading.Thread(target=self._listen, args=(reads,), daemon=True).start()

    def start(self, *, terminal: bool = False) -> str:
        """Start, and wait until it says how to sign in, which is the answer: a link, usually."""
        self.spawn(terminal=terminal)
        line = self.wait_for_line("Sign in: ", 2 * patience.SECONDS)
        self._seen |= {pid: start_time(pid) for pid in self.pids()}
        return line.partition("Sign in: ")[2]

    def wait_for_line(self, text: str, seconds: float = patience.SECONDS) -> str:
        """The next line with `text` in it; raises AssertionError with what was said instead."""
        deadline = time.monotonic() + seconds
        line: str | None = ""
        while line is not None and text not in line:
            try:
                line = self._said.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
        assert line is not None, "\n".join(self.lines)
        return line

    def wait_for_end(self, seconds: float = patience.SECONDS) -> int:
        assert self._process is not None
        return self._process.wait(seconds)

    def send(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def pid(self, name: str) -> int:
        """Of `web`, `turns`, `tools` or `redis`; 0 if it is not recorded."""
        with suppress(OSError, ValueError):
            return int(json.loads((self.home / "run" / f"{name}.json").read_text())["pid"])
        return 0

    def pids(self) -> list[int]:
        """The supervisor and all that descends from it."""
        assert self._process is not None
        return tree(self._process.pid)

    def survivors(self) -> list[int]:
        """Who is alive of all that ran once `start` had returned."""
        return [pid for pid, started in self._seen.items() if start_time(pid) == started != ""]

    def kill_everything(self) -> None:
        if self._process is None:
            return
        for pid in {*self.survivors(), *self.pids()}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(patience.SECONDS)

    def _listen(self, output: int) -> None:
        # A terminal that nobody writes to any more cannot be read.
        with suppress(OSError), os.fdopen(output) as lines:
            for line in lines:
                self.lines.append(line.rstrip())
                self._said.put(line.rstrip())
        self._said.put(None)
