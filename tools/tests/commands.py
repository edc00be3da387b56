"""What the tests of commands share."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import patience
from tools.workspace import sandbox
from tools.workspace.limits import Limits
from tools.workspace.watching import Outcome

MB = 1_024 * 1_024


def sandboxed(script: str, workspace: Path, **limits: Any) -> Outcome:
    return sandbox.run(["/bin/sh", "-c", script], workspace, Limits(**limits))


def said(outcome: Outcome) -> str:
    return outcome.output.decode(errors="replace")


def until(condition: Callable[[], object], seconds: float = patience.SECONDS) -> None:
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        pause.wait(0.02)
    raise TimeoutError(f"not within {seconds} s")


def gone(workspace: Path) -> bool:
    """Whether no process is left that was started for this workspace, or works in it."""
    return not any(_belongs(process, str(workspace)) for process in Path("/proc").glob("[0-9]*"))


def _belongs(process: Path, workspace: str) -> bool:
    try:
        if os.getpid() == int(process.name):
            return False
        there = str((process / "cwd").readlink())
        return workspace in (process / "cmdline").read_text() or there.startswith(workspace)
    except OSError:
        return False
