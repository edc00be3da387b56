"""Running a command where it can do no harm: under bubblewrap, with limits on all that it uses."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.errors import ToolError
from tools.workspace import seccomp
from tools.workspace.bubblewrap import Files, user_of, wrapped
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
    process, status = _start(command, workspace, limits, folders, user)
    watched = Watched(process, workspace, limits, before, process.kill, tell)
    with os.fdopen(status, "rb") as told:
        try:
            outcome = watch(watched, is_cancelled)
        except BaseException:
            process.kill()
            raise
        has_begun = bool(told.read(1))
    if not has_begun and not outcome.limit:
        said = outcome.output.decode(errors="replace").strip()
        raise ToolError(f"the sandbox did not start: {said}")
    return outcome


def _start(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder],
    user: int | None,
) -> "tuple[subprocess.Popen[bytes], int]":
    """The process, and where it tells that the command has begun."""
    told, status = os.pipe()
    files = Files(status, _filter())
    passed = [status] if files.filter is None else [status, files.filter]
    try:
        process = subprocess.Popen(
            wrapped(command, workspace, folders, limits, user, files),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={},
            cwd="/",
            close_fds=True,
            pass_fds=passed,
            start_new_session=True,
        )
    except BaseException:
        os.close(told)
        raise
    finally:
        for one in passed:
            os.close(one)
    return process, told


def _filter() -> int | None:
    """An open file with the filter of system calls, at its beginning."""
    written = seccomp.filter_of()
    if not written:
        return None
    read, write = os.pipe()
    with os.fdopen(write, "wb") as pipe:
        pipe.write(written)
    return read
