"""Pauses of the garbage collector in each process of a product, as `observed/bench_garbage.py`
writes them: those of at least a millisecond."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import role_of

VARIABLE = "BENCH_GARBAGE"


@dataclass(frozen=True)
class Pause:
    """A pause that ended at `ended_us` of CLOCK_MONOTONIC."""

    ended_us: int
    milliseconds: float
    generation: int


def read_pauses(folder: Path) -> dict[str, list[Pause]]:
    """The pauses so far, by process."""
    pauses: defaultdict[str, list[Pause]] = defaultdict(list)
    for file in folder.glob("garbage-*.txt"):
        command, *lines = file.read_text().splitlines()
        pauses[role_of(command)] += [_pause(line) for line in lines]
    return dict(pauses)


def _pause(line: str) -> Pause:
    ended_us, took_us, generation = map(int, line.split())
    return Pause(ended_us, took_us / 1000, generation)


def figures(folder: Path, processes: Iterable[str], since_us: int) -> dict[str, float]:
    """Of each process: how many pauses since a moment, the longest one and all of them in ms."""
    measured: dict[str, float] = {}
    all_pauses = read_pauses(folder)
    for role in processes:
        since = [one for one in all_pauses.get(role, []) if one.ended_us >= since_us]
        pauses = [one.milliseconds for one in since]
        measured[f"garbage.{role}.pauses"] = len(pauses)
        measured[f"garbage.{role}.longest_ms"] = max(pauses, default=0.0)
        measured[f"garbage.{role}.all_ms"] = sum(pauses)
    return measured
