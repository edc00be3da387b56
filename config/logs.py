"""What the log leaves out."""

import logging


class WithoutTraces(logging.Filter):
    """A request that is refused is a line: Django would log where in the code it was refused."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True
