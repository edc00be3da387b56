"""CPU time and memory of a process tree, read from /proc (proc_pid_stat(5), proc_pid_smaps(5))."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from host.processes import PARENT, stat, stats

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
# Places of the first and the last of the four CPU times in `stat`.
UTIME, CSTIME = 11, 14


@dataclass(frozen=True)
class Memory:
    """Megabytes (10^6) of several processes; `pss` counts a shared page once."""

    pss: float
    rss: float


def tree(root: int) -> list[int]:
    """Pids of the process and all its descendants."""
    children = defaultdict(list)
    for pid, fields in stats().items():
        children[int(fields[PARENT])].append(pid)
    pids = [root]
    for pid in pids:
        pids.extend(children[pid])
    return pids


def cpu_ms(pids: Iterable[int]) -> dict[int, float]:
    """CPU milliseconds of each process, including its children that have ended."""
    return {pid: sum(map(int, stat(pid)[UTIME : CSTIME + 1])) * TICK_MS for pid in pids}


def memory(pids: Iterable[int]) -> Memory:
    pss = rss = 0
    for pid in pids:
        for line in _read(pid, "smaps_rollup").splitlines():
            name, _, rest = line.partition(":")
            if name in ("Pss", "Rss"):
                kilobytes = int(rest.split()[0])
                pss += kilobytes * (name == "Pss")
                rss += kilobytes * (name == "Rss")
    return Memory(pss * 1024 / 1e6, rss * 1024 / 1e6)


def rss(pids: Iterable[int]) -> float:
    """Resident megabytes (10^6) of the processes. Cheap: `memory` walks all pages of a process."""
    pages = [_read(pid, "statm").split() for pid in pids]
    return sum(int(fields[1]) for fields in pages if fields) * PAGE_BYTES / 1e6


# Processes of the product by their command line: Redis, a worker by its queue, a module by its
# name, a script by the name of its file. The same names in every version of the product.
_ROLES = (
    (re.compile(r"redis-server|valkey-server"), "redis"),
    (re.compile(r"config\.work\w* (\w+)"), None),
    (re.compile(r"-m (?:\w+\.)*(\w+)"), None),
    (re.compile(r"(\w+)\.py\b"), None),
    (re.compile(r"^(?:\S*/)?(\S+)"), None),
)


def role_of(line: str) -> str:
    """The part in the product of the process with this command line: `web`, `turns`, `tools`,
    `redis` …; of an unknown program its name, without folders."""
    for pattern, name in _ROLES:
        if match := pattern.search(line):
            return name or match[1]
    return "ended"


def command(pid: int) -> str:
    """The command line of the process, without the folder of the program."""
    program, *arguments = _read(pid, "cmdline").strip("\0").split("\0")
    return " ".join([Path(program).name, *arguments])


def _read(pid: int, name: str) -> str:
    """A file in /proc of the process; "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
