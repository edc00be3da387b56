"""What a process and all its children use, as `/proc` tells."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
# Nobody needs to know how many more there are.
_MOST = 2_000


@dataclass(frozen=True)
class Usage:
    """`memory_bytes` counts a shared page once for each process."""

    processes: int
    memory_bytes: int


def usage_of(pid: int) -> Usage:
    """The children of `pid`, to any depth; those that end meanwhile do not count."""
    children = list(_children(pid))
    return Usage(len(children), sum(map(_memory, children)))


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
