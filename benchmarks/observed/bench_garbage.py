"""Writes each pause of the garbage collector of at least a millisecond to `FOLDER/garbage-PID.txt`.

The first line is the process's command line, a further one `END DURATION GENERATION`: microseconds
of CLOCK_MONOTONIC, microseconds of CPU (no waiting for a core), and 0 to 2. `benchmarks.garbage`
reads them.
"""

import gc
import os
import time
from pathlib import Path
from typing import Any

MIN_PAUSE_US = 1000


class _Pauses:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: int | None = None
        self._began_ns = 0

    def callback(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "start":
            self._began_ns = time.thread_time_ns()
            return
        took_us = (time.thread_time_ns() - self._began_ns) // 1000
        if took_us >= MIN_PAUSE_US:
            ended_us = time.monotonic_ns() // 1000
            self._write(f"{ended_us} {took_us} {info['generation']}\n".encode())

    def forget_file(self) -> None:
        """For a forked child, which writes to a file of its own."""
        self._file = None

    def _write(self, line: bytes) -> None:
        if self._file is None:
            path = f"{self._folder}/garbage-{os.getpid()}.txt"
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            command = Path("/proc/self/cmdline").read_bytes().strip(b"\0")
            os.write(self._file, command.replace(b"\0", b" ") + b"\n")
        os.write(self._file, line)


def attach(folder: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    pauses = _Pauses(folder)
    gc.callbacks.append(pauses.callback)
    os.register_at_fork(after_in_child=pauses.forget_file)
