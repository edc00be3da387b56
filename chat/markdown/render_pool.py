"""Processes that highlight code and set formulas: no text holds the interpreter of the server.

A lexer of Pygments may take the square of its text within one match of a regular expression, and no
other thread runs during a match; a formula may nest as deep as it is long. A child limits the CPU
time of a request itself; one that does not answer is killed, and the next request starts another.
The first request starts the first child.
"""

import json
import logging
import os
import queue
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from limits.files import MAX_RENDER_GRACE_S, MAX_RENDER_PROCESSES, MAX_RENDER_WAIT_S

logger = logging.getLogger(__name__)

PROGRAM = Path(__file__).with_name("render_process.py")
_CHUNK = 65_536


class NoAnswer(Exception):
    """No process was free in time, or it ended, or it did not answer in time."""


class RenderProcess:
    """A child. For one caller at a time."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, request: Mapping[str, object], cpu_s: float) -> tuple[str | None, float]:
        """The HTML, None where there is none or `cpu_s` seconds were not enough; and the seconds of
        CPU time taken. `request` is described in `render_process`. Raises `NoAnswer`."""
        line = json.dumps({**request, "seconds": cpu_s}).encode() + b"\n"
        try:
            answer = self._exchange(line, cpu_s + MAX_RENDER_GRACE_S)
        except (OSError, ValueError, NoAnswer) as error:
            self.close()
            raise NoAnswer(str(error)) from error
        return answer["html"], answer["cpu_s"]

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    def _exchange(self, request: bytes, seconds: float) -> dict[str, Any]:
        if self._child is None:
            self._child = _start()
        target = cast(IO[bytes], self._child.stdin)
        target.write(request)
        target.flush()
        answer: dict[str, Any] = json.loads(_read_line(self._child, seconds))
        return answer


def _start() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"LC_ALL": "C.UTF-8"},
    )


def _read_line(child: "subprocess.Popen[bytes]", seconds: float) -> bytes:
    """What the child writes until the end of a line. Raises `NoAnswer` after `seconds`."""
    source = cast(IO[bytes], child.stdout).fileno()
    deadline = time.monotonic() + seconds
    chunks: list[bytes] = []
    while not (chunks and chunks[-1].endswith(b"\n")):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([source], [], [], left)[0]:
            raise NoAnswer(f"no answer within {seconds:.1f} s")
        chunk = os.read(source, _CHUNK)
        if not chunk:
            raise NoAnswer("the process ended")
        chunks.append(chunk)
    return b"".join(chunks)


class RenderPool:
    """Up to `MAX_RENDER_PROCESSES` children, for all threads of this process."""

    def __init__(self) -> None:
        self._free: queue.LifoQueue[RenderProcess] = queue.LifoQueue()
        for _ in range(MAX_RENDER_PROCESSES):
            self._free.put(RenderProcess())

    def render(self, request: Mapping[str, object], cpu_s: float) -> tuple[str | None, float]:
        """As `RenderProcess.ask`. Raises `NoAnswer`."""
        try:
            process = self._free.get(timeout=MAX_RENDER_WAIT_S)
        except queue.Empty:
            raise NoAnswer("all processes are busy") from None
        try:
            return process.ask(request, cpu_s)
        finally:
            self._free.put(process)


POOL = RenderPool()
