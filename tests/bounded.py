"""`python3 -m tests.bounded LIMIT COMMAND…`: runs the command below a limit of time (`90s`, `20m`,
`6h`), and leaves nothing behind, however the run ends.

    python3 -m tests.bounded     looks for room, waits, passes signals on, tells the exit status
      the remover                waits until nobody holds the run's folder, and removes it
      unshare                    namespaces of processes, mounts and shared memory
        --init                   the first process there: forwards SIGTERM, reaps orphans
          COMMAND

- Each process has the kernel kill the next one with it. With the first process of a namespace all
  of its processes end, whatever session they are in, and its mounts with the last of them.
- Where namespaces are refused, orphans become children of `--init`, which kills all below it.
- `TMPDIR` is a folder of the run's. A lock says that the run lives: a folder whose remover was
  killed too is removed by the next run.

The exit status is the command's; 124 if the limit was reached, 137 if SIGKILL was needed. A command
inside of a run, or on another system than Linux, is run as it is. Standard library only: nothing is
installed yet.
"""

# An older Python has to come as far as the message of `config.bootstrap`.
from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from host.processes import parent_death_signal
from tools.workspace.keeper import adopt_orphans, kill_all

BOUNDED = "ROUNDTRIP_BOUNDED"
# From SIGTERM or Ctrl-C to SIGKILL; a second one is SIGKILL at once.
GRACE_S = 30.0
MIN_DISK_BYTES = 2 * 10**9
MIN_MEMORY_BYTES = 3 * 10**9
# Short: paths of sockets have 107 bytes.
PREFIX = "rtrun-"
# A folder is a moment older than its lock.
STALE_AFTER_S = 60.0
REMOVAL_S = 10.0
UNITS = {"s": 1, "m": 60, "h": 3600}
EXPIRED, KILLED, NOT_FOUND = 124, 137, 127
ORDERS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
# `si_code` of what the terminal sends (sigaction(2)).
SI_KERNEL = 0x80
NAMESPACES = (
    "--pid", "--ipc", "--mount", "--propagation", "private", "--fork", "--kill-child=KILL",
    "--mount-proc",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    limit, *command = arguments
    if BOUNDED in os.environ or sys.platform != "linux":
        os.execvp(command[0], command)
    if problem := shortage():
        sys.stderr.write(f"{problem}\n")
        return 1
    if "MAKELEVEL" in os.environ and (tie := parent_death_signal(signal.SIGTERM, os.getppid())):
        tie()  # make was not only told to end, it was killed
    remove_stale_folders()
    folder, lock = private_folder()
    remover = _start_remover(folder, lock)
    try:
        return _run(command, limit, folder, lock)
    finally:
        os.close(lock)
        os.waitpid(remover, 0)


def shortage() -> str:
    """What there is too little of, and what to do; "" if there is enough for a run."""
    for folder in (Path(__file__).parent, Path(tempfile.gettempdir())):
        if (free := shutil.disk_usage(folder).free) < MIN_DISK_BYTES:
            return (
                f"Only {free / 1e9:.1f} GB are free on the disk of {folder}; the tests need "
                f"{MIN_DISK_BYTES / 1e9:g} GB: remove files, or name another folder in TMPDIR."
            )
    if (memory := available_memory()) < MIN_MEMORY_BYTES:
        return (
            f"Only {memory / 1e9:.1f} GB of memory are available; the tests need "
            f"{MIN_MEMORY_BYTES / 1e9:g} GB: end other programs, or raise the container's limit."
        )
    return ""


def available_memory(root: Path = Path("/")) -> float:
    """Bytes that programs can still have: of the machine, and of the control group that is seen as
    the topmost one, which is a container's."""
    free = float("inf")
    with suppress(OSError, ValueError, StopIteration):
        lines = (root / "proc/meminfo").read_text().splitlines()
        free = 1024 * int(next(at for at in lines if at.startswith("MemAvailable")).split()[1])
    for folder, limit, used, cache in (
        ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
         "total_inactive_file"),
    ):  # fmt: skip
        with suppress(OSError, ValueError, KeyError):  # `max` is no number
            group = root / folder
            most, now = (int((group / name).read_text()) for name in (limit, used))
            stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            free = min(free, most - now + int(stat[cache]))
    return free


def remove_stale_folders() -> None:
    """Folders of runs that are gone together with their removers."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                status = os.fstat(lock)
                age = time.time() - status.st_mtime
                if status.st_uid == os.geteuid() and age > STALE_AFTER_S:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def private_folder() -> tuple[Path, int]:
    """The folder, and its open lock, which `unshare` and `--init` inherit."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    folder.chmod(0o711)  # PostgreSQL runs as another user
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.set_inheritable(lock, True)
    return folder, lock


def _start_remover(folder: Path, lock: int) -> int:
    """The pid of a process that removes the folder once all who hold the lock are gone."""
    if pid := os.fork():
        return pid
    try:
        os.setsid()
        for number in ORDERS:
            signal.signal(number, signal.SIG_IGN)
        own = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.close(lock)
        fcntl.flock(own, fcntl.LOCK_EX)
        # The last processes of a namespace may end a moment after its first one.
        deadline = time.monotonic() + REMOVAL_S
        while folder.exists() and time.monotonic() < deadline:
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.01)
    finally:
        os._exit(0)


def _run(command: Sequence[str], limit: str, folder: Path, lock: int) -> int:
    """The exit status for the shell."""
    watched = _block_signals()
    isolated = namespaces()
    process = subprocess.Popen(
        [*isolated, sys.executable, "-m", "tests.bounded", "--init", str(lock), *command],
        env={**os.environ, BOUNDED: "1", "TMPDIR": str(folder)},
        close_fds=False,  # make's jobs have some open
        preexec_fn=parent_death_signal(signal.SIGKILL if isolated else signal.SIGTERM),
    )
    deadline = time.monotonic() + float(limit[:-1]) * UNITS[limit[-1]]
    has_expired = False
    while process.poll() is None:
        received = _wait_for_signal(watched, deadline)
        if received is None:
            has_expired, deadline = True, float("inf")
            sys.stderr.write(f"The run has reached its limit, {limit}, and is ended.\n")
        if received is None or _is_order(received):
            _terminate(process.pid, bool(isolated))
    status = _shell_status(process.returncode)
    return EXPIRED if has_expired and status != KILLED else status


def _block_signals() -> set[signal.Signals]:
    """The signals to wait for. `nohup` and a shell's `&` have some ignored: these stay so."""
    watched = {number for number in ORDERS if signal.getsignal(number) != signal.SIG_IGN}
    watched.add(signal.SIGCHLD)
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    return watched


def _wait_for_signal(watched: set[signal.Signals], deadline: float) -> signal.struct_siginfo | None:
    """None at the deadline, which may be endless; a day is the most that is waited at once."""
    return signal.sigtimedwait(watched, min(max(0.0, deadline - time.monotonic()), 86_400.0))


def _is_order(received: signal.struct_siginfo) -> bool:
    """Ctrl-C is none: the terminal has sent it to the command too."""
    is_ctrl_c = received.si_signo == signal.SIGINT and received.si_code == SI_KERNEL
    return received.si_signo in ORDERS and not is_ctrl_c


def namespaces() -> list[str]:
    """The command line that enters them; none where they are refused, which is tried."""
    program = shutil.which("unshare") or ""
    for user in ([], ["--user", "--map-current-user"]):
        command = [program, *user, *NAMESPACES]
        with suppress(OSError):
            if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode == 0:
                return command
    return []


def _terminate(pid: int, is_unshare: bool) -> None:
    """Tells `--init` to end the run; `unshare` itself does not pass the signal on."""
    if not is_unshare:
        os.kill(pid, signal.SIGTERM)
        return
    with suppress(OSError):
        if children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(children[0]), signal.SIGTERM)
        else:  # nothing has begun yet
            os.kill(pid, signal.SIGKILL)


def _shell_status(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode


def init(lock: int, command: Sequence[str]) -> int:
    """The exit status of the command, after which nothing runs below this process."""
    os.set_inheritable(lock, False)
    adopt_orphans()
    watched = _block_signals()
    try:
        process = subprocess.Popen(command, close_fds=False, preexec_fn=_unblock_signals)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return NOT_FOUND
    status = _wait(process.pid, watched)
    kill_all()
    return status


def _wait(pid: int, watched: set[signal.Signals]) -> int:
    """The exit status of the command; KILLED if it has to be."""
    deadline = float("inf")
    while time.monotonic() < deadline:
        received = _wait_for_signal(watched, deadline)
        if received is not None and received.si_signo in ORDERS:
            if deadline < float("inf"):
                break
            deadline = time.monotonic() + GRACE_S
            if received.si_signo == signal.SIGTERM:
                os.kill(pid, signal.SIGTERM)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == pid:
                    return _shell_status(os.waitstatus_to_exitcode(ended[1]))
    return KILLED


def _unblock_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*ORDERS, signal.SIGCHLD})


if __name__ == "__main__":
    if sys.argv[1] == "--init":
        sys.exit(init(int(sys.argv[2]), sys.argv[3:]))
    sys.exit(main(sys.argv[1:]))
