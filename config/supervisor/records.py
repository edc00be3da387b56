"""`$ROUNDTRIP_HOME/run/<name>.json`: which process is what, for operators, tests and benchmarks.

Also how a start finds what an earlier supervisor had to leave behind. A pid alone is not proof, it
may be someone else's by now: with it goes the time at which the process started.
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
    """Record the process; readable by the owner only, since `more` may have a secret URL."""
    record = {"pid": pid, "started": start_time(pid), **more}
    draft = folder / f".{name}.json"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(record, stream)
    draft.replace(folder / f"{name}.json")


def clear(folder: Path) -> None:
    for file in folder.glob("*.json"):
        file.unlink(missing_ok=True)


def sweep(folder: Path) -> list[str]:
    """End what is recorded and still there, and wait until it is gone; answers the names."""
    left = {file: pid for file in folder.glob("*.json") if (pid := _living(file))}
    for number in (signal.SIGTERM, signal.SIGKILL):
        for file, pid in left.items():
            with suppress(ProcessLookupError):
                if _living(file):
                    os.kill(pid, number)
        deadline = time.monotonic() + MAX_LEFTOVER_STOP_S
        while any(map(_living, left)) and time.monotonic() < deadline:
            time.sleep(0.02)
    clear(folder)
    return [file.stem for file in left]


def _living(file: Path) -> int:
    """The pid that the record is about; 0 if that process is gone."""
    try:
        record = json.loads(file.read_text())
        pid, started = int(record["pid"]), record["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return pid if started and start_time(pid) == started else 0
