"""Whether the database can be used by this process: it answers, has the migrations, fits the keys.

Old and new processes of one release run side by side (docs/operations.md, *Rolling upgrades*): a
database that is ahead, with migrations that this release does not know, is used. One that is behind
is waited for, because migrations are a step of their own (`config.prepare`).
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from django.apps import apps
from django.db import Error, connection
from django.db.migrations.recorder import MigrationRecorder

from config import keys
from config.accounts import key_proofs
from limits.processes import MAX_DATABASE_WAIT_S

PAUSE_S = 1.0


def wait_until_usable() -> None:
    """Returns when the database has all migrations and fits the keys; exits with a sentence
    otherwise. Leaves no connection open, since processes may be forked."""
    try:
        missing = _until(lambda names: not names)
        if missing:
            raise SystemExit(behind(missing))
        refuse_foreign_keys()
    finally:
        disconnect()


def wait_until_it_answers() -> list[str]:
    """The missing migrations. Exits with a sentence if the database stays away."""
    return _until(lambda names: True)


def missing_migrations() -> list[str]:
    """The migrations of this release that the database does not have, as `app.name`; one query, and
    no import of a migration. Raises `django.db.Error`."""
    applied = _applied()
    return [name for name in _of_this_release() if name not in applied]


def behind(missing: list[str]) -> str:
    return (
        f"The database lacks {len(missing)} migrations of this release, such as {missing[0]}. "
        "Apply them with `roundtrip migrate`, then start this process again."
    )


def refuse_foreign_keys() -> None:
    """Exits if the database belongs to other keys than those of this process."""
    foreign = set(key_proofs.foreign_keys())
    for key in keys.ALL:
        if key.file_name in foreign:
            raise SystemExit(other(key))


def other(key: keys.Key) -> str:
    return (
        f"{key.variable} is not the key of this database. Give this process the key that the "
        f"others have, by {key.variable}, {key.variable}_FILE, or a copy of the file "
        f"keys/{key.file_name} from the home of the installation that made the database in "
        f"{key.file}."
    )


def disconnect() -> None:
    """Closes the connection of this thread, and PostgreSQL's pool with its threads."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # type: ignore[attr-defined]  # of PostgreSQL's backend only


def _until(is_enough: Callable[[list[str]], bool]) -> list[str]:
    """The missing migrations as soon as they are enough, or when `DATABASE_WAIT_SECONDS` are over.
    What is waited for is said once."""
    deadline = time.monotonic() + float(
        os.environ.get("DATABASE_WAIT_SECONDS") or MAX_DATABASE_WAIT_S
    )
    said = ""
    while True:
        try:
            names = missing_migrations()
        except Error as error:
            problem = f"The database does not answer: {str(error).strip()}"
            if time.monotonic() > deadline:
                raise SystemExit(problem) from None
            connection.close()
        else:
            if is_enough(names) or time.monotonic() > deadline:
                return names
            problem = f"{behind(names)} Waiting for them …"
        if problem != said:
            sys.stderr.write(f"{problem}\n")
            sys.stderr.flush()
            said = problem
        time.sleep(PAUSE_S)


def _applied() -> set[str]:
    recorder = MigrationRecorder(connection)
    if not recorder.has_table():
        return set()
    rows = recorder.migration_qs.values_list("app", "name")
    return {f"{app}.{name}" for app, name in rows}


def _of_this_release() -> list[str]:
    return [
        f"{app.label}.{file.stem}"
        for app in apps.get_app_configs()
        for file in sorted(Path(app.path).glob("migrations/[!_]*.py"))
    ]
