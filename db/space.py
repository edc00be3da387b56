"""Whether an error of the database says that its disk is full."""

import errno
import sqlite3

# Class 53 of PostgreSQL's error codes (appendix A of its manual): insufficient resources.
DISK_FULL = "53100"


def is_disk_full(error: BaseException | None) -> bool:
    """Of this error, or of one that it was raised from."""
    while error is not None:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return True
        if getattr(error, "sqlstate", None) == DISK_FULL:
            return True
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__
    return False
