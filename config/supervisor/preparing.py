"""Runs `config.prepare` before the services start, and receives its sign-in link."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from config import readiness
from config.supervisor.journal import Journal
from config.supervisor.spawning import spawn


class NotPrepared(Exception):
    """`config.prepare` failed; its output has been shown."""


async def prepare(
    command: list[str], environment: Mapping[str, str], folder: Path, journal: Journal
) -> str:
    """The path of a one-time sign-in link; "" if none is to be shown.

    Raises NotPrepared. Cancellation kills the process.
    """
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as pipe:
        try:
            process = await spawn(
                command,
                environment={
                    **environment,
                    **_terminal_variable(),
                    readiness.VARIABLE: str(write_end),
                },
                folder=folder,
                descriptors=[write_end],
            )
        finally:
            os.close(write_end)
        assert process.stdout is not None
        try:
            await journal.follow(process.stdout)
            status = await process.wait()
        except asyncio.CancelledError:
            process.kill()
            raise
        if status != 0:
            raise NotPrepared
        return pipe.read().decode().strip()


def _terminal_variable() -> dict[str, str]:
    return {readiness.TERMINAL: "1" if sys.stdout.isatty() else ""}
