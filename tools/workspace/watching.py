"""A running command: its output is taken in, what it uses is looked at, and it is ended.

Two threads know of it: one reads and waits, one looks. Whatever ends it ends all of its processes.
"""

import os
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from limits.sandbox import MAX_PATH_DEPTH
from tools.workspace.disk import Disk, measure
from tools.workspace.limits import MB, Limits
from tools.workspace.memory_group import MemoryGroup
from tools.workspace.usage import fair_memory, names_in, removed_bytes, sockets_of, usage_of

_FIRST_SECONDS = 0.01
_LOOK_SECONDS = 0.05
# The disk is looked at so much less often than it takes.
_DISK_SECONDS = 0.25
_DISK_SHARE = 10
_QUICK_SECONDS = 0.02
_TELL_SECONDS = 0.5
_READ = 65_536
_LAST = 2_000


# Told now and then: the seconds so far, and the last line of the output.
Teller = Callable[[float, str], None]


@dataclass
class Used:
    """The most of each that was seen."""

    processes: int = 0
    memory_bytes: int = 0
    output_bytes: int = 0
    workspace_bytes: int = 0
    workspace_files: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came of a command. `limit` is the sentence of the limit that ended it, or "", and
    `limit_name` its name: one of `Limits`, "stopped", "depth" or "removed". `code` is None if it
    was ended."""

    output: bytes
    code: int | None
    seconds: float
    limit: str = ""
    limit_name: str = ""
    used: Used = field(default_factory=Used)
    sandboxed: bool = True

    def facts(self, limits: Limits) -> dict[str, Any]:
        """What the call's span keeps of it."""
        return {
            "sandboxed": self.sandboxed,
            "exit_code": self.code,
            "seconds": round(self.seconds, 3),
            "limit": self.limit_name,
            "used": asdict(self.used),
            "limits": asdict(limits),
        }


@dataclass
class Watched:
    """A command that was started, in a workspace that had `before` in it. `group` is its control
    group, if it has one; `is_alone`: its network and its /tmp are its own."""

    process: "subprocess.Popen[bytes]"
    workspace: Path
    limits: Limits
    before: Disk
    kill: Callable[[], None]
    tell: Teller | None = None
    group: MemoryGroup | None = None
    is_alone: bool = True
    began: float = field(default_factory=time.monotonic)
    pieces: list[bytes] = field(default_factory=list)
    used: Used = field(default_factory=Used)
    limit: tuple[str, str] = ("", "")
    gone: threading.Event = field(default_factory=threading.Event)

    def end(self, name: str, sentence: str) -> None:
        """Ends all of it, if it has not ended by itself. The first reason counts."""
        if self.limit[0]:
            return
        self.limit = name, sentence
        if not self.gone.is_set():
            self.kill()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


def watch(watched: Watched, is_cancelled: Callable[[], bool]) -> Outcome:
    """Waits until the command and all that it started are gone."""
    reader = threading.Thread(target=_read, args=(watched,), daemon=True, name="command")
    reader.start()
    disk_at = told_at = _LOOK_SECONDS
    pause = _FIRST_SECONDS
    while not watched.gone.wait(pause):
        pause = _LOOK_SECONDS
        _look(watched, is_cancelled)
        if watched.seconds >= disk_at:
            disk_at = _look_at_disk(watched)
        if watched.tell is not None and watched.seconds >= told_at:
            told_at = watched.seconds + _TELL_SECONDS
            watched.tell(watched.seconds, _last_line(watched.pieces))
    reader.join()
    seconds = watched.seconds
    _look_at_group(watched)
    if watched.before.seconds < max(_QUICK_SECONDS, seconds / _DISK_SHARE):
        _look_at_disk(watched)
    name, sentence = watched.limit
    code = None if name else watched.process.returncode
    return Outcome(b"".join(watched.pieces), code, seconds, sentence, name, watched.used)


def _read(watched: Watched) -> None:
    """Takes in the output, which ends when everybody who could write is gone, and waits."""
    assert watched.process.stdout is not None
    with watched.process.stdout as stdout:
        most = watched.limits.output_bytes
        while piece := os.read(stdout.fileno(), _READ):
            room = most - watched.used.output_bytes
            watched.used.output_bytes += len(piece)
            if room > 0:
                watched.pieces.append(piece[:room])
            if len(piece) > room:
                watched.end("output_bytes", f"it wrote more than {most:,} bytes of output")
    watched.process.wait()
    watched.gone.set()


def _look(watched: Watched, is_cancelled: Callable[[], bool]) -> None:
    limits, used = watched.limits, watched.used
    if is_cancelled():
        watched.end("stopped", "it was stopped")
    if watched.seconds > limits.seconds:
        watched.end("seconds", f"it ran for more than {limits.seconds:g} s")
    usage = usage_of(watched.process.pid)
    used.processes = max(used.processes, usage.processes)
    if usage.processes > limits.processes + _AROUND:
        watched.end("processes", f"it started more than {limits.processes} processes")
    memory = usage.memory_bytes
    if memory > limits.memory_bytes:
        memory = fair_memory(usage.pids)
    used.memory_bytes = max(used.memory_bytes, memory)
    if memory > limits.memory_bytes:
        _end_for_memory(watched)
    if watched.is_alone and usage.pids:
        _look_inside(watched, usage.pids[0])


def _end_for_memory(watched: Watched) -> None:
    most = _mb(watched.limits.memory_bytes)
    watched.end("memory_bytes", f"it used more than {most} of memory")


def _look_inside(watched: Watched, pid: int) -> None:
    """What the kernel keeps for a command beside its processes' memory, seen from `pid`."""
    limits = watched.limits
    if sockets_of(pid) > limits.sockets:
        watched.end("sockets", f"it opened more than {limits.sockets:,} sockets")
    if names_in(pid, "/tmp") + names_in(pid, "/dev/shm") > limits.tmp_files:
        watched.end("tmp_files", f"it made more than {limits.tmp_files:,} files in /tmp")


def _look_at_group(watched: Watched) -> None:
    """When the command is over: what its control group tells."""
    if watched.group is None:
        return
    if watched.group.has_killed:
        _end_for_memory(watched)
    watched.used.memory_bytes = max(watched.used.memory_bytes, watched.group.peak_bytes)


# Processes that are not the command's own: bubblewrap's, twice.
_AROUND = 4


def _look_at_disk(watched: Watched) -> float:
    """Returns when to look again."""
    began, limits, used = time.monotonic(), watched.limits, watched.used
    most = max(limits.workspace_files, watched.before.files)
    try:
        disk = measure(watched.workspace, most)
        free = os.statvfs(watched.workspace)
    except OSError:
        watched.end("removed", "its workspace was removed")
        return watched.seconds + _DISK_SECONDS
    size = disk.bytes + removed_bytes(usage_of(watched.process.pid).pids)
    used.workspace_bytes = max(used.workspace_bytes, size)
    used.workspace_files = max(used.workspace_files, disk.files)
    if disk.too_deep and not watched.before.too_deep:
        watched.end("depth", f"it made folders in folders, more than {MAX_PATH_DEPTH} deep")
    if disk.files > most:
        watched.end("workspace_files", f"the workspace has more than {most:,} files")
    # What was too much before may be cleaned up now.
    if size > max(limits.workspace_bytes, watched.before.bytes):
        whole = _mb(limits.workspace_bytes)
        watched.end("workspace_bytes", f"the workspace would be larger than {whole}")
    if free.f_bavail * free.f_frsize < limits.disk_free_bytes and size > watched.before.bytes:
        watched.end("disk_free_bytes", "the server's disk is nearly full")
    return watched.seconds + max(_DISK_SECONDS, _DISK_SHARE * (time.monotonic() - began))


def _last_line(pieces: list[bytes]) -> str:
    """The last whole line of the output so far, or what there is of one."""
    end = b"".join(pieces[-3:])[-_LAST:].decode(errors="replace")
    lines = [line for line in end.replace("\r", "\n").split("\n") if line.strip()]
    return lines[-1].strip() if lines else ""


def _mb(size: int) -> str:
    return f"{size // MB:,} MB" if size >= MB else f"{size:,} bytes"
