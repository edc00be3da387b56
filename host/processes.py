"""Processes by pid and start time, since a pid alone may have been reused; and a tie of a child to
its parent's life.

Reads Linux' `/proc` (proc(5)); without it no process counts as alive.
"""

# An older Python has to come as far as the message of `config.bootstrap`.
from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# Fields of `/proc/<pid>/stat` (proc_pid_stat(5)), counted after the name.
STATE, PARENT, SESSION, START_TIME = 0, 1, 3, 19


def stat(pid: int) -> list[str]:
    """The fields of `/proc/<pid>/stat` after the name; empty if the process is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def start_time(pid: int) -> str:
    """Clock ticks from boot to the start of the process, which identify it together with its pid.
    Empty if it is gone or a zombie."""
    fields = stat(pid)
    return "" if not fields or fields[STATE] in "ZX" else fields[START_TIME]


def stats() -> dict[int, list[str]]:
    """The fields of every process, by pid."""
    pids = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return {pid: fields for pid in pids if (fields := stat(pid))}


def boot_id() -> str:
    """The id of this boot: pids and start times of another one are void. Empty without `/proc`."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def parent_death_signal(
    last_signal: int = signal.SIGKILL, parent: int | None = None
) -> Callable[[], None] | None:
    """What a new child of the process `parent` (this one) calls, as `preexec_fn`, so that it gets
    the signal when that ends in any way; None where the kernel has no such signal.

    The signal follows the end of the thread that made the child (prctl(2)): one that lives as long
    as the process.
    """
    if _libc is None:
        return None
    prctl = _libc.prctl
    expected = os.getpid() if parent is None else parent

    def before_exec() -> None:
        prctl(_PR_SET_PDEATHSIG, last_signal, 0, 0, 0)
        if os.getppid() != expected:  # the parent ended before prctl
            os._exit(1)

    return before_exec
