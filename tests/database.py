"""The tests' database, migrated once and copied for every process of a test run.

The migrations take seconds. The first process leaves what they made as a template: for SQLite a
file in pytest's cache, for PostgreSQL a database of a server of the tests' own. Its name is a hash
of all migrations. Django treats a copy like any database, and would apply what it lacks.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import django
from django.apps import apps
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.test.utils import setup_databases, teardown_databases

from tests.postgres import PRIVATE_SERVER

Configuration = list[Any]


class Template(Protocol):
    """A database with all migrations applied, and no rows but those that they made."""

    def exists(self) -> bool: ...

    def set_up(self) -> Configuration:
        """Makes the test database from it."""

    def save(self) -> None:
        """Keeps the test database that was just made as the template."""


def set_up(cache: Path) -> Configuration:
    """Makes the test database; answers what `tear_down` wants."""
    template = _template(cache)
    if template is None:
        return _migrated()
    with _locked(cache / "lock"):
        if template.exists():
            return template.set_up()
        configuration = _migrated()
        template.save()
        return configuration


def tear_down(configuration: Configuration) -> None:
    """Drops the test database. PostgreSQL refuses that while threads that tests began are connected
    to it: their connections are ended."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    teardown_databases(configuration, verbosity=0)


def migrated_file(cache: Path) -> Path | None:
    """The SQLite template, for the homes of products that tests start; none on PostgreSQL."""
    template = _template(cache)
    return template.file if isinstance(template, SqliteTemplate) else None


def _template(cache: Path) -> Template | None:
    if connection.vendor == "sqlite":
        return SqliteTemplate(cache / f"{_fingerprint()}.sqlite3")
    if PRIVATE_SERVER in os.environ:
        return PostgresTemplate(f"template_{_fingerprint()}")
    return None


def _migrated(**options: Any) -> Configuration:
    return setup_databases(verbosity=0, interactive=False, serialized_aliases=set(), **options)


def _fingerprint() -> str:
    """Names the migrations of all apps."""
    digest = hashlib.sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for file in sorted(Path(app.path).glob("migrations/*.py")):
            digest.update(f"{app.label}/{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class SqliteTemplate:
    def __init__(self, file: Path) -> None:
        self.file = file

    def exists(self) -> bool:
        return self.file.exists()

    def set_up(self) -> Configuration:
        shutil.copy(self.file, connection.settings_dict["TEST"]["NAME"])
        return _migrated(keepdb=True)

    def save(self) -> None:
        for old in self.file.parent.glob("*.sqlite3"):
            old.unlink()
        unfinished = self.file.with_suffix(".tmp")
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
            database.execute("VACUUM INTO ?", [str(unfinished)])
        unfinished.rename(self.file)


class PostgresTemplate:
    def __init__(self, name: str) -> None:
        self._name = name

    def exists(self) -> bool:
        with _outside() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self._name])
            return cursor.fetchone() is not None

    def set_up(self) -> Configuration:
        connection.settings_dict["TEST"]["TEMPLATE"] = self._name
        return _migrated()

    def save(self) -> None:
        # Nobody may be connected to what is copied.
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # of PostgreSQL's backend only
        made = connection.ops.quote_name(connection.settings_dict["NAME"])
        with _outside() as cursor:
            cursor.execute(f"CREATE DATABASE {self._name} TEMPLATE {made}")


@contextmanager
def _outside() -> Iterator[CursorWrapper]:
    """A cursor on the server's own database."""
    with connection._nodb_cursor() as cursor:
        yield cursor
