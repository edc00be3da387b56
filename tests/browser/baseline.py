"""The database of a running product, put back to an earlier state while the product runs.

One product serves all files of tests of a process. Each file begins with the database that the
first one began with, so that no file sees another's conversations, models, servers or settings.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests import patience


class Baseline:
    """A copy of the database, taken when this is made."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._copy = database.with_suffix(".baseline")
        with closing(self._connect(database)) as live, closing(self._connect(self._copy)) as copy:
            live.backup(copy)

    def restore(self) -> None:
        """Replaces all rows in one transaction. Primary keys are not given out twice: a process of
        the product may still hold one of a row that is gone."""
        with closing(self._connect(self._database)) as live:
            sequences = dict(live.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
            with closing(self._connect(self._copy)) as copy:
                copy.backup(live)
            with live:
                live.execute("DELETE FROM sqlite_sequence")
                live.executemany("INSERT INTO sqlite_sequence VALUES (?, ?)", sequences.items())

    @staticmethod
    def _connect(file: Path) -> sqlite3.Connection:
        return sqlite3.connect(file, timeout=patience.SECONDS)
