"""The home and the database that an archive is restored into: empty, and nobody's meanwhile.

What is restored appears at the end, all at once as far as a file system can: on SQLite the database
is made as another file and renamed, on PostgreSQL its tables and rows are one transaction.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from config.backup.errors import BadTarget
from config.backup.folders import NAMES
from config.supervisor import lock

_SUFFIX = ".restoring"
# What `migrate` makes of an empty database.
_DERIVED = {"auth_permission", "django_content_type", "django_migrations", "sqlite_sequence"}
# Of FTS5, which keeps notes about an empty index.
_INDEXES = ("chat_words", "chat_passagewords", "tracing_words")
# Of a file that nobody else sees, and that is made anew after a power cut. Its tables refer to each
# other in circles: references are checked at the end.
_FAST = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;"
_ADVICE = "Name an empty home by ROUNDTRIP_HOME"


@contextmanager
def held_home() -> Iterator[Path]:
    """The home, which nothing can be started on meanwhile. Raises BadTarget."""
    home = Path(settings.HOME)
    try:
        with lock.acquire(home / "run" / "lock"):
            yield home
    except lock.LockTaken as error:
        where = f" at {error.holder['url']}" if "url" in error.holder else ""
        raise BadTarget(
            f"Roundtrip runs on {home}{where}. {_ADVICE}, or stop it and move the home away."
        ) from None


def refuse_used(home: Path) -> None:
    """Raises BadTarget unless home and database are empty; tables without rows are allowed."""
    for name in NAMES:
        folder = home / name
        if folder.is_dir() and any(folder.iterdir()):
            raise BadTarget(f"{folder} is not empty. {_ADVICE}, or move the folder away.")
    if connection.vendor == "postgresql" or _file().exists():
        used = _used_table()
        if used:
            raise BadTarget(_not_empty(used))


def has_tables() -> bool:
    is_there = connection.vendor == "postgresql" or _file().exists()
    return is_there and "django_migrations" in connection.introspection.table_names()


def _file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _used_table() -> str:
    """A table that has rows; "" if none has."""
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            if name not in _DERIVED and not name.startswith(_INDEXES):
                cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {connection.ops.quote_name(name)})")
                if cursor.fetchone()[0]:
                    return name
    return ""


def _not_empty(table: str) -> str:
    if connection.vendor == "postgresql":
        name = connection.settings_dict["NAME"]
        return (
            f"The PostgreSQL database {name} is not empty ({table} has rows). Make a new one with"
            " createdb, and name it in DATABASE_URL."
        )
    return f"{_file()} is not empty ({table} has rows). {_ADVICE}, or move the file away."


@contextmanager
def new_database() -> Iterator[None]:
    """In the block the default connection is to the database that is to be filled; on SQLite to a
    new file, which takes its place at the end of the block, and is gone after an error."""
    if connection.vendor == "postgresql":
        yield
    else:
        with _new_file(_file()):
            yield


@contextmanager
def _new_file(file: Path) -> Iterator[None]:
    """A draft beside the SQLite file, with the tables of that file if it is there."""
    draft = file.with_name(file.name + _SUFFIX)
    _remove_database(draft)
    if file.exists():
        with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(draft)) as new:
            old.backup(new)
    draft.touch(mode=0o600)
    draft.chmod(0o600)
    ours = connection.settings_dict
    options = ours["OPTIONS"] | {"init_command": _FAST}
    connection.close()
    connection.settings_dict = ours | {"NAME": draft, "OPTIONS": options}
    try:
        yield
        connection.close()
        _synced(draft)
        _remove_database(file)
        draft.replace(file)
    finally:
        connection.close()
        connection.settings_dict = ours
        _remove_database(draft)


def _remove_database(file: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _synced(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
