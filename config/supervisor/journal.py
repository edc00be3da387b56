"""Output of the processes, line by line: to the terminal and `$ROUNDTRIP_HOME/logs/<name>.log`.

With LOG_FORMAT=json every line is a JSON object: those of processes that log such objects as they
are, all others wrapped.
"""

import asyncio
import json
import os
import sys
import time
from datetime import UTC, datetime
from logging import Formatter, LogRecord, makeLogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path

from limits.processes import MAX_LOG_FILE_BYTES, MAX_LOG_LINE_BYTES, MAX_OLD_LOG_FILES

NAME_WIDTH = 5


def writes_json() -> bool:
    return os.environ.get("LOG_FORMAT") == "json"


def say(text: str) -> None:
    """Print a line of the supervisor itself."""
    _print(as_object("supervisor", text) if writes_json() else text)


def as_object(process: str, text: str) -> str:
    """The line as a JSON object; unchanged if it is one."""
    if text.startswith('{"time":'):
        return text
    time = datetime.now(UTC).isoformat()
    line = {"time": time, "level": "INFO", "message": text.strip(), "process": process}
    return json.dumps(line, ensure_ascii=False)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Journal:
    """The log of one process; with `shown` it goes to the terminal too."""

    def __init__(self, folder: Path, name: str, *, shown: bool = True) -> None:
        self.name = name
        self._shown = shown
        self._file = RotatingFileHandler(
            folder / f"{name}.log",
            maxBytes=MAX_LOG_FILE_BYTES,
            backupCount=MAX_OLD_LOG_FILES,
            errors="replace",
        )
        self._file.setFormatter(Formatter(None if writes_json() else "%(asctime)s %(message)s"))

    def line(self, text: str, *, shown: bool | None = None) -> None:
        """Log one line; `shown` overrides that of the journal."""
        is_shown = self._shown if shown is None else shown
        if writes_json():
            text = as_object(self.name, text)
            self._file.emit(_record(text))
            if is_shown:
                _print(text)
            return
        self._file.emit(_record(text))
        if is_shown:
            _print(f"{time.strftime('%H:%M:%S')} {self.name:<{NAME_WIDTH}} | {text}")

    async def follow(self, stream: asyncio.StreamReader) -> None:
        """Log the stream's lines until it ends; longer ones than `MAX_LOG_LINE_BYTES` are split."""
        rest = b""
        while piece := await stream.read(MAX_LOG_LINE_BYTES):
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > MAX_LOG_LINE_BYTES:
                lines, rest = [*lines, rest], b""
            for line in lines:
                self._log_bytes(line)
        self._log_bytes(rest)

    def _log_bytes(self, line: bytes) -> None:
        if text := line.decode(errors="replace").rstrip():
            self.line(text)


def _record(text: str) -> LogRecord:
    return makeLogRecord({"msg": text})
