"""All rows of a database as they were at one moment, while others go on writing.

One transaction, in which every table is read: on SQLite that of a reader of the write-ahead log,
which meanwhile grows by what is written; on PostgreSQL one with `REPEATABLE READ`. Rows are read
one by one, so that memory is bounded by the largest of them.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from django.db import connection, transaction

from config.backup import values
from config.backup.errors import BackupError
from config.backup.schema import Applied
from config.backup.tables import Table
from config.backup.values import Column, Convert

Row = list[Any]


class Snapshot(Protocol):
    def rows(self, table: Table) -> Iterator[Row]:
        """In the order of their keys, as `values` has them."""

    def last_key(self, table: Table) -> int:
        """The largest key that was ever given to a row; 0 if keys are not counted."""

    def applied(self) -> list[Applied]:
        """The migrations, in the order in which they were applied."""


@contextmanager
def open_snapshot() -> Iterator[Snapshot]:
    """Of the default database; the moment is when this returns. Raises BackupError."""
    opened = _of_postgresql() if connection.vendor == "postgresql" else _of_sqlite()
    with opened as snapshot:
        snapshot.applied()
        yield snapshot


@contextmanager
def _of_sqlite() -> Iterator[Snapshot]:
    file = Path(connection.settings_dict["NAME"])
    if not file.exists():
        raise BackupError(f"There is no database at {file}: there is nothing to back up.")
    with closing(sqlite3.connect(file, timeout=20, isolation_level=None)) as database:
        database.execute("PRAGMA query_only = ON")
        database.execute("BEGIN")
        yield _Sqlite(database)


@contextmanager
def _of_postgresql() -> Iterator[Snapshot]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # It is idle while files are read.
        for timeout in ("statement_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute(f"SET LOCAL {timeout} = 0")
        yield _Postgresql(cursor)


class _Sqlite:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def rows(self, table: Table) -> Iterator[Row]:
        columns = ", ".join(f'"{name}"' for name in table.names)
        found = self._database.execute(
            f'SELECT {columns} FROM "{table.name}" ORDER BY "{table.key}"'
        )
        return _converted(found, [values.from_sqlite(one) for one in table.columns])

    def last_key(self, table: Table) -> int:
        found = self._database.execute(
            "SELECT seq FROM sqlite_sequence WHERE name = ?", [table.name]
        )
        return int((found.fetchone() or [0])[0])

    def applied(self) -> list[Applied]:
        found = self._database.execute(
            "SELECT app, name, applied FROM django_migrations ORDER BY id"
        )
        return found.fetchall()


class _Postgresql:
    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def rows(self, table: Table) -> Iterator[Row]:
        columns = ", ".join(one.selected() for one in table.columns)
        query = f'SELECT {columns} FROM "{table.name}" ORDER BY "{table.key}"'
        with self._cursor.copy(f"COPY ({query}) TO STDOUT") as copy:
            copy.set_types([one.copied() for one in table.columns])
            yield from _converted(
                copy.rows(), [values.from_postgresql(one) for one in table.columns]
            )

    def last_key(self, table: Table) -> int:
        if not table.is_counted:
            return 0
        self._cursor.execute(
            "SELECT pg_get_serial_sequence(%s, %s)", [f'"{table.name}"', table.key]
        )
        self._cursor.execute(f"SELECT last_value, is_called FROM {self._cursor.fetchone()[0]}")
        last, is_called = self._cursor.fetchone()
        return int(last) if is_called else 0

    def applied(self) -> list[Applied]:
        moment = Column("applied", "moment")
        convert = values.from_postgresql(moment) or str
        self._cursor.execute(
            f"SELECT app, name, {moment.selected()} FROM django_migrations ORDER BY id"
        )
        return [(app, name, convert(at)) for app, name, at in self._cursor.fetchall()]


def _converted(rows: Any, converts: list[Convert | None]) -> Iterator[Row]:
    changed = [(place, convert) for place, convert in enumerate(converts) if convert]
    for found in rows:
        row = list(found)
        for place, convert in changed:
            if row[place] is not None:
                row[place] = convert(row[place])
        yield row
