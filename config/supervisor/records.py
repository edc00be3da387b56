"""`$ROUNDTRIP_HOME/run/<name>.json`: a record per process, for operators, tests and benchmarks.

At its start a supervisor ends the recorded processes of an earlier one that was killed. A record
has the process's start time too, because another process may have the same pid by now.
"""

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from host.processes import start_time
from limits.processes import MAX_LEFTOVER_STOP_S


def write(folder: Path, name: str, pid: int, **more: Any) -> None:
    """Write the record; readable by its owner only, since `more` may contain a secret URL."""
    record = {"pid": pid, "started": start_time(pid), **more}
    draft = folder / f".{name}.json"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(record, stream)
    draft.replace(folder / f"{name}.json")


def clear(folder: Path) -> None:
    for file in folder.glob("*.json"):
        file.unlink(missing_ok=True)


def end_leftovers(folder: Path) -> list[str]:
    """End the recorded processes that still run, and wait for their end; returns their names."""
    leftovers = {file: pid for file in folder.glob("*.json") if (pid := _running_pid(file))}
    for number in (signal.SIGTERM, signal.SIGKILL):
        for file, pid in leftovers.items():
            with suppress(ProcessLookupError):
                if _running_pid(file):
                    os.kill(pid, number)
        deadline = time.monotonic() + MAX_LEFTOVER_STOP_S
        while any(map(_running_pid, leftovers)) and time.monotonic() < deadline:
            time.sleep(0.02)
    clear(folder)
    return [file.stem for file in leftovers]


def _running_pid(file: Path) -> int:
    """The pid of the recorded process; 0 if it has ended."""
    try:
        record = json.loads(file.read_text())
        pid, started = int(record["pid"]), record["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return pid if started and start_time(pid) == started else 0
