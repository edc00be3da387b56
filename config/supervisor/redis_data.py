"""The append-only file of the private Redis, which an earlier start wrote, maybe another server.

Valkey reads what Redis wrote up to 7.2, and none reads what a later server wrote. Redis has nothing
that the database does not have: rings are repeated by the reaper, and logs of events begin anew. So
a start does not fail on its data.
"""

import time
from pathlib import Path

# The file of Redis 6.2, and the folder of later servers.
NAMES = ("appendonly.aof", "appendonlydir")


def put_aside(folder: Path) -> str:
    """Renames the data in `folder` and returns what was done; "" if there are none."""
    names = [name for name in NAMES if (folder / name).exists()]
    for name in names:
        (folder / name).rename(folder / f"unreadable-{time.time_ns()}-{name}")
    if not names:
        return ""
    return (
        f"could not start with its data, {' and '.join(names)} in {folder}. They were renamed to "
        "unreadable-…, and may be deleted: the database has all that is in them."
    )
