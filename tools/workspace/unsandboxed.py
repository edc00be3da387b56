"""Running a command without a sandbox, where the operator wants that (setting `UNSANDBOXED_SHELL`).

It is the worker's user, who can read the worker's home and reach its network. What is left: an
environment without our secrets, limits of time, output, memory and disk, and no process that stays.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tools.workspace.bubblewrap import PATH
from tools.workspace.disk import measure
from tools.workspace.folders import Folder
from tools.workspace.limits import Limits
from tools.workspace.watching import Outcome, Teller, Watched, watch

_KEEPER = Path(__file__).with_name("keeper.py")
_LENT = "SKILLS"


def run(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder] = (),
    is_cancelled: Callable[[], bool] = lambda: False,
    tell: Teller | None = None,
) -> Outcome:
    """Runs a command in the workspace; returns when it and all that it started are gone. The
    folders are seen below `$SKILLS`, by their last names."""
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = measure(workspace, limits.workspace_files)
    with tempfile.TemporaryDirectory(prefix="skills-") as lent:
        for folder in folders:
            (Path(lent) / Path(folder.inside).name).symlink_to(folder.path)
        process = _start(command, workspace, limits, lent)
        watched = Watched(process, workspace, limits, before, process.terminate, tell)
        try:
            return replace(watch(watched, is_cancelled), sandboxed=False)
        except BaseException:
            process.terminate()
            raise


def _start(
    command: Sequence[str], workspace: Path, limits: Limits, lent: str
) -> "subprocess.Popen[bytes]":
    kept = [sys.executable, "-I", "-S", str(_KEEPER), str(os.getpid()), *_rlimits(limits), "--"]
    return subprocess.Popen(
        [*kept, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(workspace, lent),
        cwd=workspace,
        close_fds=True,
        start_new_session=True,
    )


def _environment(workspace: Path, lent: str) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": str(workspace),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        _LENT: lent,
    }


def _rlimits(limits: Limits) -> list[str]:
    return [
        f"data={limits.memory_bytes}",
        f"fsize={limits.file_bytes}",
        f"cpu={round(limits.seconds) + 1}",
        "core=0",
        "nofile=512",
        f"nproc={_processes_of_ours() + limits.processes}",
    ]


def _processes_of_ours() -> int:
    """Those (threads, as the kernel counts) of this user that run already; of root none count."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == os.geteuid():
                count += sum(1 for _ in (process / "task").iterdir())
    return count
