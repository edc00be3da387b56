"""Processes by pid and start time: a pid alone may have been reused.

Reads Linux' `/proc` (proc(5)); without it no process counts as alive.
"""

from pathlib import Path

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
