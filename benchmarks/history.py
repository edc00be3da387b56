"""`python -m benchmarks.history`: the results of `make bench` by version, so that a slow change is
seen.

    python -m benchmarks.history                     the chief figures of all versions
    python -m benchmarks.history 'steady.50.*'       these figures

`results/history.jsonl` has a line for each run: date, revision, machine, scale, figures.
"""

import argparse
import fnmatch
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import Machine
from benchmarks.product import ROOT
from benchmarks.summary import CHIEF
from benchmarks.tables import figure, row

FILE = ROOT / "benchmarks" / "results" / "history.jsonl"


@dataclass(frozen=True)
class Entry:
    """One run. `revision` is the commit, with `+` if files differed from it; `scale` is the name of
    how much was measured: only runs of one scale on one machine compare."""

    date: str
    revision: str
    machine: Machine
    scale: str
    figures: dict[str, float]

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Entry":
        return cls(**{**fields, "machine": Machine(**fields["machine"])})


def entry_of(figures: dict[str, float], here: Machine, scale: str, folder: Path = ROOT) -> Entry:
    """An entry for a run that has just been made with the code in `folder`."""
    date = datetime.now(UTC).isoformat(timespec="minutes")
    rounded = {name: round(value, 3) for name, value in figures.items()}
    return Entry(date, revision(folder), here, scale, rounded)


def revision(folder: Path) -> str:
    """The short id of the commit in `folder`, with `+` if the product's files differ from it."""
    changed = _git(folder, "status", "--porcelain", "--", ".", ":!benchmarks/results")
    return _git(folder, "rev-parse", "--short=8", "HEAD") + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def append(entry: Entry, file: Path = FILE) -> None:
    with file.open("a") as lines:
        lines.write(json.dumps(asdict(entry)) + "\n")


def read(file: Path = FILE) -> list[Entry]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [Entry.from_json(json.loads(line)) for line in lines]


def as_markdown(entries: Sequence[Entry], patterns: Sequence[str]) -> str:
    """A row for each figure, a column for each run, and the change from the run before."""
    names = dict.fromkeys(name for entry in entries for name in entry.figures)
    chosen = [name for name in names if any(fnmatch.fnmatch(name, one) for one in patterns)]
    lines = [
        row(["figure", *(f"{entry.revision} ({entry.date[:10]})" for entry in entries), "change"]),
        row(["---"] * (len(entries) + 2)),
    ]
    for name in chosen:
        values = [entry.figures.get(name) for entry in entries]
        lines.append(row([f"`{name}`", *map(figure, values), _change(values)]))
    return "\n".join(lines) + "\n"


def _change(values: Sequence[float | None]) -> str:
    """From the last run but one to the last."""
    before, after = ([None, None, *values])[-2:]
    return f"× {after / before:.2f}" if before and after is not None else ""


def main() -> int:
    parser = argparse.ArgumentParser(description="The results of make bench by version.")
    parser.add_argument("patterns", nargs="*", default=CHIEF, metavar="FIGURE")
    parser.add_argument("--last", type=int, default=8, help="so many runs (default 8)")
    parser.add_argument("--scale", default="whole", help="whole (default) or quick")
    options = parser.parse_args()
    entries = [entry for entry in read() if entry.scale == options.scale][-options.last :]
    sys.stdout.write(as_markdown(entries, options.patterns) if entries else "No runs yet.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
