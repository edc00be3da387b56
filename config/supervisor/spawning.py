"""Starts child processes that end with this process."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


async def spawn(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    descriptors: Iterable[int] = (),
    last_signal: int = signal.SIGKILL,
) -> asyncio.subprocess.Process:
    """Start `command` in a process group of its own, with stdout and stderr on one pipe.

    When this process ends in any way, the kernel (Linux) sends the child `last_signal`. To be
    called from the main thread: the signal follows the end of the calling thread (prctl(2)).
    """
    return await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        cwd=folder,
        pass_fds=tuple(descriptors),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=parent_death_signal(os.getpid(), last_signal),
    )


def parent_death_signal(parent: int, last_signal: int) -> Callable[[], None] | None:
    """What a new child of the process `parent` calls so that it gets the signal when that ends;
    None where the kernel has no such signal."""
    if _libc is None:
        return None
    prctl = _libc.prctl

    def before_exec() -> None:
        prctl(PR_SET_PDEATHSIG, last_signal, 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before prctl
            os._exit(1)

    return before_exec
