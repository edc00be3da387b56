"""Running a command where it can do no harm: bubblewrap, and limits on all that it uses.

    nothing but /usr (read-only), a private /tmp, /proc and /dev, and the workspace as /workspace
    no network, no environment of ours, no other user, every process gone when the command ends

bubblewrap itself is started with an empty environment: it is process 1 inside, and what it was
started with can be read there. A server that runs as root puts a second one around it, which shows
it the workspace (whose path others cannot walk) and then becomes a user of no other use: the kernel
does not count root's processes.
"""

import os
import resource
import shutil
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.workspace.usage import Usage, usage_of

# Users of the sandboxes of root: one for a workspace, as far as they go, so that none counts those
# of another.
FIRST_USER = 2_000_000_000
USERS = 100_000
INSIDE = "/workspace"
PATH = "/usr/local/bin:/usr/bin:/bin"
# Part of the system that programs need to run; nothing of /etc that tells of this machine's people.
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types")
_LOOK_SECONDS = 0.05
_READ = 65_536


@dataclass(frozen=True)
class Limits:
    """The most that one command may use."""

    seconds: float = 60.0
    output_bytes: int = 1_000_000
    processes: int = 64
    memory_bytes: int = 1_024 * 1_024 * 1_024
    file_bytes: int = 256 * 1_024 * 1_024


@dataclass(frozen=True)
class Outcome:
    """What came of a command. `limit` is the sentence of the limit that ended it, or ""."""

    output: bytes
    code: int | None
    seconds: float
    limit: str = ""


@dataclass(frozen=True)
class Folder:
    """A folder of this machine, and where it is seen inside."""

    path: Path
    inside: str
    writable: bool = False


@dataclass
class _Watched:
    """A running command and what is known of it; filled by two threads."""

    process: "subprocess.Popen[bytes]"
    limits: Limits
    began: float = field(default_factory=time.monotonic)
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0
    limit: str = ""

    def end(self, limit: str) -> None:
        """Kills all of it. The first reason counts."""
        self.limit = self.limit or limit
        self.process.kill()


def is_available() -> bool:
    """Whether bubblewrap is installed. Whether the kernel lets it work is said by its first run."""
    return shutil.which("bwrap") is not None


def run(
    command: Sequence[str],
    workspace: Path,
    limits: Limits,
    folders: Sequence[Folder] = (),
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Runs a command in the workspace; returns when it and all that it started are gone.

    Raises FileNotFoundError if bubblewrap is not installed.
    """
    process = _start(_wrapped(command, workspace, folders, limits))
    watched = _Watched(process, limits)
    reader = threading.Thread(target=_read, args=(watched,), daemon=True)
    reader.start()
    _watch(watched, is_cancelled)
    process.wait()
    reader.join()
    seconds = time.monotonic() - watched.began
    code = None if watched.limit else process.returncode
    return Outcome(b"".join(watched.pieces), code, seconds, watched.limit)


def _start(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={},
        cwd="/",
        close_fds=True,
        start_new_session=True,
    )


def _wrapped(
    command: Sequence[str], workspace: Path, folders: Sequence[Folder], limits: Limits
) -> list[str]:
    found = shutil.which("bwrap")
    if found is None:
        raise FileNotFoundError("bubblewrap (bwrap) is not installed")
    limited = ["/usr/bin/prlimit", *_rlimits(limits), "--", *command]
    house = [*_house(), *_binds([Folder(workspace, INSIDE, writable=True), *folders])]
    closed = [found, "--unshare-user", "--disable-userns", "--die-with-parent", "--cap-drop", "ALL"]
    if os.geteuid() != 0:
        return [*closed, *_ALONE, *house, "--", *limited]
    user = _user_of(workspace)
    _give(workspace, user)
    become = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    around = [found, "--die-with-parent", *_ALONE, *house, "--", *become, "--no-new-privs", "--"]
    return [*around, *closed, "--dev-bind", "/", "/", "--chdir", INSIDE, "--", *limited]


# All namespaces but the user's.
_ALONE = [
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--new-session", "--clearenv", "--hostname", "sandbox"),
    *("--setenv", "PATH", PATH, "--setenv", "HOME", INSIDE, "--setenv", "TMPDIR", "/tmp"),
    *("--setenv", "LANG", "C.UTF-8", "--setenv", "TERM", "dumb"),
]


def _house() -> list[str]:
    return [
        *("--ro-bind", "/usr", "/usr", *_system()),
        *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),
        *("--chdir", INSIDE),
    ]


def _binds(folders: Sequence[Folder]) -> list[str]:
    return [
        part
        for folder in folders
        for part in ("--bind" if folder.writable else "--ro-bind", str(folder.path), folder.inside)
    ]


def _user_of(workspace: Path) -> int:
    return FIRST_USER + zlib.crc32(str(workspace).encode()) % USERS


def _system() -> list[str]:
    """`/bin` and the like, as links where they are links, and the few files of `/etc`."""
    parts: list[str] = []
    for name in _LINKS:
        path = Path("/") / name
        if path.is_symlink():
            parts += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            parts += ["--ro-bind", str(path), str(path)]
    for name in _ETC:
        parts += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return parts


def _rlimits(limits: Limits) -> list[str]:
    return [
        f"--nproc={limits.processes}",
        f"--as={limits.memory_bytes * 2}",
        f"--fsize={limits.file_bytes}",
        f"--cpu={round(limits.seconds) + 1}",
        "--core=0",
        f"--nofile={min(1_024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])}",
    ]


def _give(workspace: Path, user: int) -> None:
    """What root made in the workspace can be changed by what runs there. Links are not followed."""
    for parent, folders, files in os.walk(workspace):
        for name in ("", *folders, *files):
            os.chown(Path(parent) / name, user, user, follow_symlinks=False)


def _read(watched: _Watched) -> None:
    """Takes in the output. It ends when everybody who could write is gone."""
    assert watched.process.stdout is not None
    while piece := os.read(watched.process.stdout.fileno(), _READ):
        room = watched.limits.output_bytes - watched.size
        watched.size += len(piece)
        if room > 0:
            watched.pieces.append(piece[:room])
        if len(piece) > room:
            watched.end(f"it wrote more than {watched.limits.output_bytes:,} bytes")


def _watch(watched: _Watched, is_cancelled: Callable[[], bool]) -> None:
    while watched.process.poll() is None:
        if is_cancelled():
            watched.end("it was stopped")
        elif time.monotonic() - watched.began > watched.limits.seconds:
            watched.end(f"it ran for more than {watched.limits.seconds:g} s")
        elif broken := _broken(usage_of(watched.process.pid), watched.limits):
            watched.end(broken)
        time.sleep(_LOOK_SECONDS)


def _broken(usage: Usage, limits: Limits) -> str:
    if usage.processes > limits.processes:
        return f"it started more than {limits.processes} processes"
    if usage.memory_bytes > limits.memory_bytes:
        return f"it used more than {limits.memory_bytes // 1_048_576:,} MB of memory"
    return ""
