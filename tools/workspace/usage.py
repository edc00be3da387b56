"""What a process and all its children use, as `/proc` tells."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from limits.sandbox import MAX_COUNTED_FILES, MAX_COUNTED_PROCESSES

# Of `/proc/<pid>/status`: what is resident, and the page tables, which nothing else tells of.
_MEMORY = ("VmRSS:", "VmPTE:")


@dataclass(frozen=True)
class Usage:
    """`memory_bytes` counts a shared page once for each process."""

    pids: tuple[int, ...]
    memory_bytes: int

    @property
    def processes(self) -> int:
        return len(self.pids)


def usage_of(pid: int) -> Usage:
    """The children of `pid`, to any depth; those that end meanwhile do not count."""
    children = tuple(_children(pid))
    return Usage(children, sum(map(_memory, children)))


def fair_memory(pids: Iterable[int]) -> int:
    """The bytes of these processes, a shared page divided among those who share it. Slow."""
    return sum(map(_fair, pids))


def removed_bytes(pids: Iterable[int]) -> int:
    """What these processes hold open that has no name any more, on whatever disk or in memory."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        for status in _open(pid):
            if len(found) >= MAX_COUNTED_FILES:
                break
            if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def sockets_of(pid: int) -> int:
    """All sockets in a process's network, also those in flight between others; 0 while that is
    still our own network."""
    with suppress(OSError, ValueError, IndexError):
        if _is_other(pid, "ns/net"):
            return int(Path(f"/proc/{pid}/net/sockstat").read_text().split()[2])
    return 0


def names_in(pid: int, folder: str) -> int:
    """How many names the file system at a process's `folder` has, of empty files too; 0 while its
    root is still our own."""
    with suppress(OSError):
        if _is_other(pid, "root"):
            there = os.statvfs(f"/proc/{pid}/root{folder}")
            return there.f_files - there.f_ffree
    return 0


def _is_other(pid: int, link: str) -> bool:
    """Whether what a link of `/proc/<pid>` leads to is not what ours leads to."""
    theirs, ours = Path(f"/proc/{pid}/{link}").stat(), Path(f"/proc/self/{link}").stat()
    return (theirs.st_dev, theirs.st_ino) != (ours.st_dev, ours.st_ino)


def _children(pid: int) -> Iterator[int]:
    waiting, seen = [pid], 0
    while waiting and seen < MAX_COUNTED_PROCESSES:
        for child in _direct(waiting.pop()):
            seen += 1
            waiting.append(child)
            yield child


def _direct(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _memory(pid: int) -> int:
    return _in_status(pid, _MEMORY)


def _in_status(pid: int, names: tuple[str, ...]) -> int:
    """The bytes of these lines of `/proc/<pid>/status`."""
    with suppress(OSError, ValueError, IndexError):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return sum(int(line.split()[1]) * 1_024 for line in lines if line.startswith(names))
    return 0


def _fair(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1_024 + _in_status(pid, ("VmPTE:",))
    return _memory(pid)


def _open(pid: int) -> Iterator[os.stat_result]:
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with suppress(OSError):
                yield os.stat(f"/proc/{pid}/fd/{name}")  # noqa: PTH116
