"""Rows of an archive into the empty tables of a database, in one transaction of the caller's.

Foreign keys are checked at its end, so that the order of tables and rows does not matter. The
triggers that note new texts do so for these too: that is how the indexes of words are made again.
"""

import json
from collections.abc import Iterator
from typing import IO, Any

from django.db import connection

from chat.search import triggers
from config.backup import values
from config.backup.archive import ArchiveReader
from config.backup.errors import BadArchive
from config.backup.snapshot import Row
from config.backup.tables import Apps, Table, tables_of
from config.backup.values import Convert

# `tracing_searchtext` has the texts of traces; with this version the worker indexes them again.
_OUTDATED = "UPDATE tracing_searchtext SET version = 0"


def load(archive: ArchiveReader, apps: Apps) -> None:
    """Loads all tables; `apps` are the models at the state of the archive. Raises BadArchive."""
    tables = tables_of(apps)
    expected = archive.manifest.tables
    if {table.name for table in tables} != set(expected):
        raise BadArchive("The tables of the archive are not those of its migrations.")
    triggers.install(connection)
    # Errors of COPY and executemany come from below Django's cursor.
    with connection.wrap_database_errors, connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A migration before, in the same transaction, has some of them checked at once.
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table in tables:
            cursor.execute(f'DELETE FROM "{table.name}"')
        for table in tables:
            count = _load_table(cursor, archive, table)
            if count != expected[table.name].rows:
                raise BadArchive(f"{table.name} has {count} rows, its manifest says another count.")
            _count_on(cursor, table, expected[table.name].last_key)
        if _has_versions(tables):
            cursor.execute(_OUTDATED)
    connection.check_constraints()


def header(table: Table) -> list[list[str | int]]:
    """The first line of a table's member: its columns, in the order of each row."""
    return [[one.name, one.kind, one.places] for one in table.columns]


def _load_table(cursor: Any, archive: ArchiveReader, table: Table) -> int:
    with archive.decompressed(table.member) as lines:
        if json.loads(lines.readline()) != header(table):
            raise BadArchive(f"The columns of {table.name} are not those of its migrations.")
        write = _copy if connection.vendor == "postgresql" else _insert
        return write(cursor, table, lines)


def _insert(cursor: Any, table: Table, lines: IO[bytes]) -> int:
    columns = ", ".join(f'"{name}"' for name in table.names)
    places = ", ".join("?" * len(table.names))
    counted = _Counted(lines, [values.to_sqlite(one) for one in table.columns])
    # Not Django's cursor, which makes a list of all rows.
    cursor.connection.executemany(
        f'INSERT INTO "{table.name}" ({columns}) VALUES ({places})', iter(counted)
    )
    return counted.count


def _copy(cursor: Any, table: Table, lines: IO[bytes]) -> int:
    columns = ", ".join(f'"{name}"' for name in table.names)
    counted = _Counted(lines, [values.to_postgresql(one) for one in table.columns])
    with cursor.copy(f'COPY "{table.name}" ({columns}) FROM STDIN') as copy:
        for row in counted:
            copy.write_row(row)
    return counted.count


class _Counted:
    """Iterates over rows once; `count` is how many there were."""

    def __init__(self, lines: IO[bytes], converts: list[Convert | None]) -> None:
        self._lines = lines
        self._changed = [(place, convert) for place, convert in enumerate(converts) if convert]
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        for line in self._lines:
            row: Row = json.loads(line)
            for place, convert in self._changed:
                if row[place] is not None:
                    row[place] = convert(row[place])
            self.count += 1
            yield row


def _count_on(cursor: Any, table: Table, last: int) -> None:
    """Keys that were given once are not given again."""
    if not table.is_counted or not last:
        return
    if connection.vendor == "postgresql":
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s), %s)",
            [f'"{table.name}"', table.key, last],
        )
        return
    cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
    cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, last])


def _has_versions(tables: list[Table]) -> bool:
    return any("version" in table.names for table in tables if table.name == "tracing_searchtext")
