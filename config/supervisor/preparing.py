"""Running `config.prepare` before the services start, and taking its sign-in link."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from config import readiness
from config.supervisor.journal import Journal
from config.supervisor.spawning import spawn


class NotPrepared(Exception):
    """It failed; what it said was shown."""


async def prepare(
    command: list[str], environment: Mapping[str, str], folder: Path, journal: Journal
) -> str:
    """The path of a one-time sign-in link; empty if none is to be shown.

    Raises NotPrepared. Cancelled, it ends the process.
    """
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as answer:
        try:
            process = await spawn(
                command,
                environment={**environment, **_terminal(), readiness.VARIABLE: str(writes)},
                folder=folder,
                descriptors=[writes],
            )
        finally:
            os.close(writes)
        assert process.stdout is not None
        try:
            await journal.follow(process.stdout)
            status = await process.wait()
        except asyncio.CancelledError:
            process.kill()
            raise
        if status != 0:
            raise NotPrepared
        return answer.read().decode().strip()


def _terminal() -> dict[str, str]:
    return {readiness.TERMINAL: "1" if sys.stdout.isatty() else ""}
