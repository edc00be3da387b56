"""The command line of bubblewrap, which puts a command where it can do no harm.

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
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.values.folders import Folder
from tools.workspace.limits import MB, Limits
from tools.workspace.paths import INSIDE

# Users of the sandboxes of root: one for a workspace, as far as they go, so that none counts those
# of another.
FIRST_USER = 2_000_000_000
USERS = 100_000
PATH = "/usr/local/bin:/usr/bin:/bin"
# Part of the system that programs need to run; nothing of /etc that tells of this machine's people.
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = (
    *("alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime"),
    *("mime.types", "magic"),
)
# What the kernel tells everybody, and nobody inside has to know.
_MASKED = ("/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/sched_debug")
# All namespaces but the user's.
_ALONE = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--new-session", "--clearenv", "--hostname", "sandbox"),
    *("--setenv", "PATH", PATH, "--setenv", "HOME", INSIDE, "--setenv", "TMPDIR", "/tmp"),
    *("--setenv", "LANG", "C.UTF-8", "--setenv", "TERM", "dumb"),
)
_CLOSED = ("--unshare-user", "--disable-userns", "--die-with-parent", "--cap-drop", "ALL")


@dataclass(frozen=True)
class Files:
    """Open files: `status` is where it tells that the command has begun, `house` where it reads
    what is mounted, and `filter` the filter of system calls."""

    status: int
    house: int
    filter: int | None

    @property
    def inherited(self) -> list[int]:
        return [one for one in (self.status, self.house, self.filter) if one is not None]


def wrapped(command: Sequence[str], limits: Limits, user: int | None, files: Files) -> list[str]:
    """`command` as bubblewrap runs it; as `user` (of `user_of`) if we are root. Raises
    FileNotFoundError without bubblewrap."""
    bwrap = found()
    closed = [bwrap, *_CLOSED, "--json-status-fd", str(files.status)]
    if files.filter is not None:
        closed += ["--seccomp", str(files.filter)]
    limited = ["/usr/bin/prlimit", *_rlimits(limits), "--", "/usr/bin/nice", "-n", "5", *command]
    house = ["--args", str(files.house)]
    if user is None:
        return [*closed, *_ALONE, *house, "--", *limited]
    become = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    around = [bwrap, "--die-with-parent", *_ALONE, *house, "--", *become, "--no-new-privs", "--"]
    return [*around, *closed, "--dev-bind", "/", "/", "--chdir", INSIDE, "--", *limited]


def house(workspace: Path, folders: Sequence[Folder], limits: Limits) -> bytes:
    """What is mounted where, as bubblewrap reads it from a file (`--args`): a command line could be
    read inside, and names the server's folders."""
    options = _house(limits, [Folder(workspace, INSIDE, writable=True), *folders])
    return b"".join(os.fsencode(option) + b"\0" for option in options)


def found() -> str:
    """Where the program is. Raises FileNotFoundError."""
    path = shutil.which("bwrap")
    if path is None:
        raise FileNotFoundError("bubblewrap (bwrap) is not installed")
    return path


def user_of(workspace: Path) -> int | None:
    """Who a command is in this workspace; None if it is who we are."""
    if os.geteuid() != 0:
        return None
    first, users = _users()
    return first + zlib.crc32(str(workspace).encode()) % users


@cache
def _users() -> tuple[int, int]:
    """The first of the users that nobody else uses, and how many: of those that there are, since
    root may be root of a container only."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    there = max(int(start) + int(count) for start, _, count in map(str.split, lines))
    if there >= FIRST_USER + USERS:
        return FIRST_USER, USERS
    return there // 2, max(1, there // 2 - 1)


def _house(limits: Limits, folders: Sequence[Folder]) -> list[str]:
    return [
        *("--ro-bind", "/usr", "/usr", *_system(), "--proc", "/proc", "--dev", "/dev"),
        *("--size", str(limits.tmp_bytes), "--perms", "1777", "--tmpfs", "/tmp"),
        *("--size", str(limits.tmp_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"),
        *(part for path in _masked() for part in ("--ro-bind", "/dev/null", path)),
        *_binds(folders),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", INSIDE),
    ]


def _binds(folders: Sequence[Folder]) -> list[str]:
    """Also makes the folders around them, which would be root's alone."""
    parts: list[str] = []
    for around in sorted({one for folder in folders for one in Path(folder.inside).parents}):
        parts += ["--perms", "0755", "--dir", str(around)] if around != Path("/") else []
    for folder in folders:
        bind = "--bind" if folder.writable else "--ro-bind"
        parts += [bind, str(folder.path), folder.inside]
    return parts


@cache
def _masked() -> tuple[str, ...]:
    return tuple(path for path in _MASKED if Path(path).exists())


@cache
def _system() -> tuple[str, ...]:
    """`/bin` and the like, as links where they are links, and the few files of `/etc`."""
    parts: list[str] = []
    for name in _LINKS:
        path = Path("/") / name
        if path.is_symlink():
            parts += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            parts += ["--ro-bind", str(path), str(path)]
    parts += ["--perms", "0755", "--dir", "/etc"]
    for name in _ETC:
        parts += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return tuple(parts)


def _rlimits(limits: Limits) -> list[str]:
    """What the kernel itself minds, of each process; all together are watched."""
    counted = [f"--nproc={limits.processes * _THREADS}"] if _counts_by_namespace() else []
    return [
        *counted,
        f"--data={limits.memory_bytes + _SPARE_BYTES}",
        f"--stack={8 * MB}",
        f"--fsize={limits.file_bytes}",
        f"--cpu={round(limits.seconds) + 1}",
        "--core=0",
        "--memlock=65536",
        "--msgqueue=0",
        "--sigpending=1024",
        f"--nofile={min(512, resource.getrlimit(resource.RLIMIT_NOFILE)[1])}",
    ]


# The watch says which limit it was, so it comes first; the kernel's stops what is too quick for it.
_THREADS = 4  # of a process; the kernel counts them as processes
_SPARE_BYTES = 256 * MB


@cache
def _counts_by_namespace() -> bool:
    """Before Linux 5.14 a user's processes were counted wherever they were: for a server that is no
    root the limit would count its own, too."""
    release = os.uname().release.split(".")
    return os.geteuid() == 0 or (int(release[0]), int(release[1])) >= (5, 14)
