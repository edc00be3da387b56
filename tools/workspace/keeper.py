"""`python keeper.py parent limit… -- command…`: runs a command without a sandbox, and leaves none
of its processes behind.

What a command starts in the background becomes this process's child when its parent ends, in
whatever session it is (PR_SET_CHILD_SUBREAPER, prctl(2)). When the command is over, when a SIGTERM
says so, or when who started this is gone, all of them are killed. It imports nothing of this
program, so that it starts quickly.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PDEATHSIG, _SUBREAPER = 1, 36


def main(arguments: list[str]) -> int:
    """`arguments`: the parent's id, `name=value` of limits, `--`, the command. Its exit status."""
    end = arguments.index("--")
    adopt_orphans()
    signal.signal(signal.SIGTERM, _end)
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != int(arguments[0]):
        return 1
    command = arguments[end + 1 :]
    child = os.fork()
    if child == 0:
        _become(command, arguments[1:end])
    status = _wait_for(child)
    kill_all()
    return os.waitstatus_to_exitcode(status) % 256


def adopt_orphans() -> None:
    """From now on, what loses its parent below this process becomes its child."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _become(command: list[str], limits: list[str]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    os.nice(10)
    for limit in limits:
        name, _, value = limit.partition("=")
        kind = getattr(resource, f"RLIMIT_{name.upper()}")
        hard = resource.getrlimit(kind)[1]
        most = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (most, most))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _wait_for(child: int) -> int:
    """Waits for the command itself; others that end meanwhile are let go."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return status


def _end(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    kill_all()
    os._exit(143)


def kill_all() -> None:
    """Returns when no process is left below this one. Groups are killed as such: the kernel lets
    none of a group start another meanwhile."""
    while True:
        below = set(_below(os.getpid()))
        for group in {_group(pid) for pid in below} - {0, os.getpgid(0)}:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for pid in below:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _group(pid: int) -> int:
    with suppress(ProcessLookupError, PermissionError):
        return os.getpgid(pid)
    return 0


def _below(pid: int) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):
                for child in map(int, task.read_text().split()):
                    waiting.append(child)
                    yield child


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
