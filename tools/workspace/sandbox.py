"""Running a command where it can do no harm: under bubblewrap, with limits on all that it uses."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.errors import ToolError
from tools.workspace import seccomp
from tools.workspace.bubblewrap import user_of, wrapped
from tools.workspace.disk import measure
from tools.workspace.folders import Folder
from tools.workspace.limits import Limits
from tools.workspace.watching import Outcome, Teller, Watched, watch

__all__ = ["Folder", "Limits", "Outcome", "Teller", "run"]


def run(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder] = (),
    is_cancelled: Callable[[], bool] = lambda: False,
    tell: Teller | None = None,
) -> Outcome:
    """Runs a command in the workspace; returns when it and all that it started are gone.

    `tell` is called now and then with the seconds so far and the last line of the output. Raises
    FileNotFoundError if bubblewrap is not installed, `ToolError` if the sandbox does not start.
    """
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    user = user_of(workspace)
    before = measure(workspace, limits.workspace_files, user)
    process = _start(command, workspace, limits, folders, user)
    watched = Watched(process, workspace, limits, before, process.kill, tell)
    try:
        outcome = watch(watched, is_cancelled)
    except BaseException:
        process.kill()
        raise
    if outcome.code and outcome.output.startswith(b"bwrap: "):
        said = outcome.output.decode(errors="replace").strip()
        raise ToolError(f"the sandbox did not start: {said}")
    return outcome


def _start(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder],
    user: int | None,
) -> "subprocess.Popen[bytes]":
    filter_fd = _filter()
    passed = () if filter_fd is None else (filter_fd,)
    try:
        return subprocess.Popen(
            wrapped(command, workspace, folders, limits, user, filter_fd),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={},
            cwd="/",
            close_fds=True,
            pass_fds=passed,
            start_new_session=True,
        )
    finally:
        for one in passed:
            os.close(one)


def _filter() -> int | None:
    """An open file with the filter of system calls, at its beginning."""
    written = seccomp.filter_of()
    if not written:
        return None
    read, write = os.pipe()
    with os.fdopen(write, "wb") as pipe:
        pipe.write(written)
    return read
