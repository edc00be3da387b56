"""Running a command without a sandbox, where the operator wants that (setting `UNSANDBOXED_SHELL`).

It is the worker's user, who can read the worker's home and reach its network. What is left: an
environment without our secrets, limits of time, output, memory and disk, and no process that stays
unless it hides: one that has killed its keeper and cleared its environment is not found.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from tools.values.folders import Folder
from tools.workspace.bubblewrap import PATH
from tools.workspace.disk import measure
from tools.workspace.limits import Limits
from tools.workspace.paths import INSIDE
from tools.workspace.watching import Outcome, Teller, Watched, watch

_KEEPER = Path(__file__).with_name("keeper.py")
_LENT = "SKILLS"
# Marks the processes of a command, so that those that lost their keeper are found.
_TOKEN = "ROUNDTRIP_COMMAND"


def run(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder] = (),
    is_cancelled: Callable[[], bool] = lambda: False,
    tell: Teller | None = None,
) -> Outcome:
    """Runs a command in the workspace; returns when it and all that it started are gone. Folders of
    the workspace are seen there, the others below `$SKILLS`, by their last names."""
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = measure(workspace, limits.workspace_files)
    within = [folder for folder in folders if folder.inside.startswith(f"{INSIDE}/")]
    with tempfile.TemporaryDirectory(prefix="skills-") as lent, _links(workspace, within):
        for folder in folders:
            if folder in within:
                continue
            (Path(lent) / Path(folder.inside).name).symlink_to(folder.path)
        token = uuid.uuid4().hex
        process = _start(command, limits, _environment(workspace, lent, token))
        kill = partial(_kill, process, token)
        watched = Watched(process, workspace, limits, before, kill, tell, is_alone=False)
        try:
            return replace(watch(watched, is_cancelled), sandboxed=False)
        except BaseException:
            kill()
            raise
        finally:
            if process.returncode == -signal.SIGKILL:
                _kill_left_behind(token)


_linked: Counter[Path] = Counter()
_lock = threading.Lock()


@contextmanager
def _links(workspace: Path, folders: Sequence[Folder]) -> Iterator[None]:
    """Links to these folders in the workspace, as long as a command runs that sees them. What has
    their names already stays instead."""
    places = {workspace / folder.inside.removeprefix(f"{INSIDE}/"): folder for folder in folders}
    with _lock:
        for place, folder in places.items():
            _linked[place] += 1
            if not os.path.lexists(place):
                place.symlink_to(folder.path)
    try:
        yield
    finally:
        with _lock:
            for place in places:
                _linked[place] -= 1
                if not _linked[place] and place.is_symlink():
                    place.unlink()


def _kill(process: "subprocess.Popen[bytes]", token: str) -> None:
    """The keeper ends the rest; where the command has killed it, we do."""
    process.terminate()
    if process.poll() is not None:
        _kill_left_behind(token)


def _kill_left_behind(token: str) -> None:
    """What is marked with the command's token."""
    mark = f"{_TOKEN}={token}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def _start(
    command: Sequence[str], limits: Limits, environment: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    kept = [sys.executable, "-I", "-S", str(_KEEPER), str(os.getpid()), *_rlimits(limits), "--"]
    return subprocess.Popen(
        [*kept, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=environment["HOME"],
        close_fds=True,
        start_new_session=True,
    )


def _environment(workspace: Path, lent: str, token: str) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": str(workspace),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        _LENT: lent,
        _TOKEN: token,
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
