"""Log lines: readable, or as JSON objects with LOG_FORMAT=json. To stderr; the ids of a line are
those of `host.log_ids`."""

import logging
import sys
from pathlib import Path

from config import environment
from host import log_ids

FORMATS = ("text", "json")


def formatter() -> logging.Formatter:
    """Of the format that LOG_FORMAT names."""
    if environment.choice("LOG_FORMAT", FORMATS) == "text":
        return TextFormatter("%(levelname)s %(name)s: %(message)s")
    from config import json_logs  # whoever reads text needs no library

    return json_logs.JsonLines(process_type())


def process_type() -> str:
    """What this process is: `web`, `turns`, `tools`, or the name of a command."""
    arguments = sys.argv
    for queue in ("turns", "tools"):
        if queue in arguments or f"-Q{queue}" in arguments or f"--queues={queue}" in arguments:
            return queue
    return Path(arguments[0]).stem if arguments else "python"


class TextFormatter(logging.Formatter):
    """Without time and process name, which the supervisor adds; ids come after the message."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        ids = " ".join(f"{name}={value}" for name, value in log_ids.current().items())
        return f"{line} [{ids}]" if ids else line
