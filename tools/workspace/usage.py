"""What a process and all its children use, as `/proc` tells."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
# Nobody needs to know how many more there are.
_MOST = 2_000
_MOST_OPEN = 10_000


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
            if len(found) >= _MOST_OPEN:
                break
            if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def _children(pid: int) -> Iterator[int]:
    waiting, seen = [pid], 0
    while waiting and seen < _MOST:
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
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def _fair(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1_024
    return _memory(pid)


def _open(pid: int) -> Iterator[os.stat_result]:
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with suppress(OSError):
                yield os.stat(f"/proc/{pid}/fd/{name}")  # noqa: PTH116
