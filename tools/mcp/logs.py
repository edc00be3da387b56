"""Stderr of live sessions, in files that the web process can read.

One file for each session below `ROUNDTRIP_HOME`, rewritten at most once a second when there is new
output, and as long as the part that is kept in memory. Known secrets are masked.
"""

import asyncio
import re
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from limits.mcp import MAX_LOG_AGE_S, MAX_LOG_FILES
from tools.mcp.transports.stderr import Stderr

PAUSE_S = 1.0
NAME = re.compile(r"[a-z0-9_-]{1,40}\Z")  # of a server, and so of its folder


@dataclass(frozen=True)
class SessionLog:
    """The end of what one session has written."""

    started: datetime
    written: datetime
    text: str


def of_server(name: str) -> Sequence[SessionLog]:
    """The logs of the last sessions with the server `name`, the newest first."""
    logs = []
    for file in _newest_first(_folder(name)):
        with suppress(OSError, ValueError):
            logs.append(
                SessionLog(
                    started=_time(int(file.name.partition("-")[0]) / 1000),
                    written=_time(file.stat().st_mtime),
                    text=file.read_text(errors="replace"),
                )
            )
    return logs


async def follow(name: str, stderr: Stderr) -> None:
    """Writes the file of one session until cancelled."""
    if not NAME.match(name):
        return
    file = _folder(name) / f"{time.time_ns() // 1_000_000}-{uuid.uuid4().hex[:8]}"
    try:
        while True:
            await stderr.fresh.wait()
            stderr.fresh.clear()
            _write(file, stderr)
            await asyncio.sleep(PAUSE_S)
    finally:
        if stderr.fresh.is_set():
            _write(file, stderr)


def sweep() -> None:
    """Removes files older than `MAX_LOG_AGE_S`, and empty folders."""
    for folder in (settings.HOME / "stderr").glob("*"):
        for file in folder.glob("*"):
            with suppress(OSError):
                if time.time() - file.stat().st_mtime > MAX_LOG_AGE_S:
                    file.unlink()
        with suppress(OSError):
            folder.rmdir()  # unless there is something in it


def _write(file: Path, stderr: Stderr) -> None:
    with suppress(OSError):  # a full disk is no reason to end a session
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for old in _newest_first(file.parent)[MAX_LOG_FILES - 1 :]:
                old.unlink()
        draft = file.with_name(f".{file.name}")
        draft.touch(mode=0o600)
        draft.write_text(stderr.since(), errors="replace")
        draft.replace(file)


def _newest_first(folder: Path) -> list[Path]:
    """Names begin with the time of the start."""
    return sorted(folder.glob("[0-9]*"), reverse=True)


def _folder(name: str) -> Path:
    home: Path = settings.HOME
    return home / "stderr" / name


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
