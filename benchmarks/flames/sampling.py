"""Stacks of a running process, sampled from outside by py-spy."""

import subprocess
import sys
from pathlib import Path

from host.processes import parent_death_signal

RATE = 200


class Sampler:
    """Samples the process from now on, for so many seconds.

    Only the thread that holds the interpreter's lock is sampled: what waits, and what runs in C
    without the lock (a statement of SQLite, say), is not there. The process is not stopped for it.
    """

    def __init__(self, pid: int, seconds: float, output: Path) -> None:
        self._output = output
        py_spy = Path(sys.executable).with_name("py-spy")
        self._process = subprocess.Popen(
            [
                *(str(py_spy), "record", "--pid", str(pid), "--output", str(output)),
                *("--format", "raw", "--rate", str(RATE), "--duration", str(round(seconds))),
                *("--gil", "--nonblocking", "--function"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=parent_death_signal(),
        )

    def folded(self) -> str:
        """The stacks, when the time is over. Raises RuntimeError if py-spy could not sample."""
        _, messages = self._process.communicate()
        if self._process.returncode or not self._output.exists():
            raise RuntimeError(f"py-spy could not sample (it needs ptrace): {messages[-500:]}")
        return self._output.read_text()
