"""Log lines as JSON objects, one a line."""

import os
import socket
from datetime import UTC, datetime
from logging import LogRecord
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from host import log_ids


class JsonLines(JsonFormatter):
    """Fields: `time` (RFC 3339, UTC), `level`, `logger`, `message`, `process`, `host`, `pid`, the
    ids of `host.log_ids`, and `exc_info` with a traceback."""

    def __init__(self, process_type: str) -> None:
        super().__init__("%(message)s", json_ensure_ascii=False)
        self._process = {"process": process_type, "host": socket.gethostname()}

    def add_fields(
        self, log_data: dict[str, Any], record: LogRecord, message_dict: dict[str, Any]
    ) -> None:
        super().add_fields(log_data, record, message_dict)
        message = log_data.pop("message", "")
        extra = dict(log_data)
        log_data.clear()
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat()
        log_data |= {"level": record.levelname, "logger": record.name, "message": message}
        log_data |= {**self._process, "pid": os.getpid(), **log_ids.current(), **extra}
