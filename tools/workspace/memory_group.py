"""A control group that bounds the memory of a command, where the system lets us make one.

The kernel then counts all that a command makes it keep: pages, page tables, socket buffers, files
in memory and their names. Without one the watch counts what `/proc` tells (see `usage`).

- cgroup v2: our own group or the one above it is ours to divide (systemd: `Delegate=yes`; root).
- cgroup v1: the hierarchy `memory` is writable.

Source: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
"""

import os
import signal
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.workspace.limits import Limits

_MOUNTS = Path("/proc/self/mounts")
_OWN = Path("/proc/self/cgroup")
_REMOVE_S = 1.0
# Written by the command's first process, which then becomes the command.
_ENTER = 'echo $$ > "$0" && exec "$@"'


@dataclass(frozen=True)
class _Names:
    """The files of a version: the limit, the peak, where kills are counted; and what else is
    written where it is there, "" for the limit itself."""

    limit: str
    peak: str
    events: str
    others: Mapping[str, str]


_V1 = _Names(
    "memory.limit_in_bytes",
    "memory.max_usage_in_bytes",
    "memory.oom_control",
    {"memory.kmem.tcp.limit_in_bytes": ""},
)
_V2 = _Names(
    "memory.max",
    "memory.peak",
    "memory.events",
    {"memory.swap.max": "0", "memory.oom.group": "1"},
)


@dataclass(frozen=True)
class MemoryGroup:
    """The group of one command, to be removed when it is over."""

    path: Path
    names: _Names

    def entered(self, command: Sequence[str]) -> list[str]:
        """The command line that enters the group and then becomes `command`."""
        return ["/bin/sh", "-c", _ENTER, str(self.path / "cgroup.procs"), *command]

    @property
    def peak_bytes(self) -> int:
        """The most that was used together; 0 if the kernel does not tell."""
        try:
            return int((self.path / self.names.peak).read_text())
        except (OSError, ValueError):
            return 0

    @property
    def has_killed(self) -> bool:
        """Whether the kernel ended a process because the group had no memory left."""
        try:
            lines = (self.path / self.names.events).read_text().splitlines()
        except OSError:
            return False
        return any(int(line.split()[1]) > 0 for line in lines if line.startswith("oom_kill "))

    def kill(self) -> None:
        """All processes in it, also those that left their session."""
        with suppress(OSError, ValueError):
            for pid in map(int, (self.path / "cgroup.procs").read_text().split()):
                # 0 is one of another PID namespace; sent to 0 the signal would be our own group's.
                with suppress(ProcessLookupError):
                    if pid:
                        os.kill(pid, signal.SIGKILL)

    def remove(self) -> None:
        """Once its last process is gone, which the kernel may notice a moment later."""
        deadline = time.monotonic() + _REMOVE_S
        while self.path.exists() and time.monotonic() < deadline:
            with suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.005)


def make(limits: Limits) -> MemoryGroup | None:
    """A group with these limits; None where none can be made."""
    parent = _parent()
    if parent is None:
        return None
    path, names = parent
    group = MemoryGroup(path / f"roundtrip-{uuid.uuid4().hex}", names)
    try:
        group.path.mkdir()
        _write(group, limits)
    except OSError:
        group.remove()
        return None
    return group


def _write(group: MemoryGroup, limits: Limits) -> None:
    """Files in memory (/tmp, shared memory) have limits of their own, beside `memory_bytes`."""
    together = str(limits.memory_bytes + 2 * limits.tmp_bytes)
    (group.path / group.names.limit).write_text(together)
    for name, value in group.names.others.items():
        if (group.path / name).exists():
            (group.path / name).write_text(value or together)


@cache
def _parent() -> tuple[Path, _Names] | None:
    """Where groups with a limit of memory can be made, which is tried once."""
    for folder, names in _candidates():
        trial = folder / f"roundtrip-trial-{os.getpid()}"
        try:
            trial.mkdir()
        except OSError:
            continue
        try:
            if (trial / names.limit).exists():
                return folder, names
        finally:
            with suppress(OSError):
                trial.rmdir()
    return None


def _candidates() -> list[tuple[Path, _Names]]:
    mounts = [line.split() for line in _MOUNTS.read_text().splitlines()]
    own = [line.split(":", 2) for line in _OWN.read_text().splitlines()]
    candidates = []
    for _, controllers, path in own:
        for _, mount, kind, options, *_ in mounts:
            folder = Path(mount) / path.lstrip("/")
            if kind == "cgroup2" and not controllers:
                candidates += [(around, _V2) for around in (folder, folder.parent)]
            elif kind == "cgroup" and "memory" in set(controllers.split(",")) & set(
                options.split(",")
            ):
                candidates.append((folder, _V1))
    return candidates


def _has_memory(names: str) -> bool:
    return "memory" in names.split(",")
