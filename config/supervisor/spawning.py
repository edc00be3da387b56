"""Starts child processes that end with this process."""

import asyncio
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from host.processes import parent_death_signal


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
        preexec_fn=parent_death_signal(last_signal),
    )
