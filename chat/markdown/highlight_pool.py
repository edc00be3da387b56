"""Processes that highlight code, so that no lexer holds the interpreter of the server.

A lexer of Pygments may take the square of its text within one match of a regular expression, and no
other thread runs during a match. A child limits the CPU time of a request itself; one that does not
answer is killed, and the next request starts another. The first request starts the first child.
"""

import json
import logging
import os
import queue
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any, cast

from limits.files import MAX_HIGHLIGHT_GRACE_S, MAX_HIGHLIGHT_PROCESSES, MAX_HIGHLIGHT_WAIT_S

logger = logging.getLogger(__name__)

PROGRAM = Path(__file__).with_name("highlight_process.py")
_CHUNK = 65_536


class NoAnswer(Exception):
    """No process was free in time, or it ended, or it did not answer in time."""


class HighlightProcess:
    """A child. For one caller at a time."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, code: str, language: str, cpu_s: float) -> tuple[str | None, float]:
        """The HTML, None where the language is unknown or `cpu_s` seconds were not enough; and the
        seconds of CPU time taken. Raises `NoAnswer`."""
        request = {"language": language, "code": code, "seconds": cpu_s}
        try:
            answer = self._exchange(
                json.dumps(request).encode() + b"\n", cpu_s + MAX_HIGHLIGHT_GRACE_S
            )
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


class HighlightPool:
    """Up to `MAX_HIGHLIGHT_PROCESSES` children, for all threads of this process."""

    def __init__(self) -> None:
        self._free: queue.LifoQueue[HighlightProcess] = queue.LifoQueue()
        for _ in range(MAX_HIGHLIGHT_PROCESSES):
            self._free.put(HighlightProcess())

    def highlight(self, code: str, language: str, cpu_s: float) -> tuple[str | None, float]:
        """As `HighlightProcess.ask`. Raises `NoAnswer`."""
        try:
            process = self._free.get(timeout=MAX_HIGHLIGHT_WAIT_S)
        except queue.Empty:
            raise NoAnswer("all processes are busy") from None
        try:
            return process.ask(code, language, cpu_s)
        finally:
            self._free.put(process)


POOL = HighlightPool()
