"""Running a command where it can do no harm: under bubblewrap, with limits on all that it uses."""

import fcntl
import os
import secrets
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from tools.errors import ToolError
from tools.values.folders import Folder
from tools.workspace import bubblewrap, memory_group, seccomp
from tools.workspace.bubblewrap import Files, user_of
from tools.workspace.disk import measure
from tools.workspace.limits import Limits
from tools.workspace.memory_group import MemoryGroup
from tools.workspace.paths import INSIDE
from tools.workspace.watching import Outcome, Teller, Watched, watch

_PIPE_BYTES = 65_536
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
    for folder in folders:
        _make_room(workspace, folder)
    user = user_of(workspace)
    before = measure(workspace, limits.workspace_files, user)
    group = memory_group.make(limits)
    try:
        process, status = _start(command, workspace, limits, folders, user, group)
        kill = partial(_kill, process, group)
        watched = Watched(process, workspace, limits, before, kill, tell, group)
        with os.fdopen(status, "rb") as told:
            try:
                outcome = watch(watched, is_cancelled)
            except BaseException:
                kill()
                raise
            has_begun = bool(told.read(1))
    finally:
        if group is not None:
            group.remove()
    if not has_begun and not outcome.limit:
        said = outcome.output.decode(errors="replace").strip()
        raise ToolError(f"the sandbox did not start: {said}")
    return outcome


def _make_room(workspace: Path, folder: Folder) -> None:
    """Moves aside what is in the way of a folder that is seen in the workspace."""
    if not folder.inside.startswith(f"{INSIDE}/"):
        return
    place = workspace / folder.inside.removeprefix(f"{INSIDE}/")
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        place.rename(place.with_name(f"{place.name}-{secrets.token_hex(4)}"))


def _kill(process: "subprocess.Popen[bytes]", group: MemoryGroup | None) -> None:
    """bubblewrap takes all with it, but only once it is set up: before that its session does."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    if group is not None:
        group.kill()


def _start(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder],
    user: int | None,
    group: MemoryGroup | None,
) -> "tuple[subprocess.Popen[bytes], int]":
    """The process, and where it tells that the command has begun."""
    told, status = os.pipe()
    house = _file(bubblewrap.house(workspace, folders, limits))
    written = seccomp.filter_of()
    files = Files(status, house, _file(written) if written else None)
    try:
        line = bubblewrap.wrapped(command, limits, user, files)
        process = subprocess.Popen(
            group.entered(line) if group is not None else line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={},
            cwd="/",
            close_fds=True,
            pass_fds=files.inherited,
            start_new_session=True,
        )
    except BaseException:
        os.close(told)
        raise
    finally:
        for one in files.inherited:
            os.close(one)
    return process, told


def _file(content: bytes) -> int:
    """An open file with this content: a pipe, since a file in memory would count as the
    workspace's."""
    read, write = os.pipe()
    with os.fdopen(write, "wb") as pipe:
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, max(_PIPE_BYTES, len(content)))
        pipe.write(content)
    return read
