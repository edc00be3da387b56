"""Erasing what deleted rows leave in the files of SQLite.

A row that is deleted is overwritten with zeros at once (`secure_delete`, `config.databases`). That
leaves three things, with a function for each:

    words    an index of FTS5 only marks words as deleted, until its segments are merged
    copies   a page from which rows have moved to others has copies of some in its unused part
    log      the write-ahead log has earlier versions of pages

They use connections of their own, and hold the write lock for a moment at a time.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection

from limits.processes import MAX_LOG_LOCK_S, MAX_REWRITTEN_BYTES

# Pages of an index, of 4 KB, that are merged in one transaction.
MERGED_PAGES = 64
# Attempts to empty the log, and seconds between two.
LOG_ATTEMPTS = 20
LOG_PAUSE_S = 0.25


def merge_words(index: str) -> None:
    """Merges the segments of a table of FTS5 into one, without the words that were deleted before.

    https://sqlite.org/fts5.html#the_merge_command
    """
    statement = f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)"
    pages = -MERGED_PAGES  # below 0: begins to merge all segments
    with _connected() as database:
        before = -2
        # A step that changes no more than the row of the command itself is the last one.
        while database.total_changes - before >= 2:
            before = database.total_changes
            database.execute(statement, (pages,))
            pages = MERGED_PAGES


def rewrite() -> bool:
    """Writes the database anew without copies, if it is not too large for that to be quick."""
    if _file().stat().st_size > MAX_REWRITTEN_BYTES:
        return False
    with _connected() as database:
        database.execute("PRAGMA temp_store=MEMORY")
        database.execute("VACUUM")
    return True


def truncate_log() -> bool:
    """Writes the log into the database and empties it. False: others still read from it."""
    for attempt in range(LOG_ATTEMPTS):
        if attempt:
            time.sleep(LOG_PAUSE_S)
        with _connected(MAX_LOG_LOCK_S) as database:
            # Without a lock for most of it; the truncation holds up writers while it waits.
            database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            (is_busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not is_busy:
            return True
    return False


@contextmanager
def _connected(timeout: float = 20.0) -> Iterator[sqlite3.Connection]:
    """A connection that commits each statement, and waits so many seconds for a lock."""
    with closing(sqlite3.connect(_file(), timeout=timeout, isolation_level=None)) as database:
        database.execute("PRAGMA secure_delete=ON").fetchall()
        database.execute("PRAGMA synchronous=NORMAL")
        yield database


def _file() -> Path:
    return Path(connection.settings_dict["NAME"])
