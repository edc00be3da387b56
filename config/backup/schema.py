"""States of migrations: which one a database has, and how an empty one is brought to it.

An archive says which migrations its database had. Its rows are loaded into tables of that state,
and the migrations since then run on them, as on the database itself.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.backup.errors import BackupError
from config.backup.tables import Apps

Key = tuple[str, str]
# App, name, and when it was applied: UTC, as `values` writes moments.
Applied = tuple[str, str, str]


def is_known(applied: Iterable[Key]) -> bool:
    """Whether this version has all of these migrations, each itself or in a squashed one."""
    disk = MigrationLoader(None).disk_migrations or {}
    replaced = {key for one in disk.values() for key in one.replaces}
    return set(applied) <= disk.keys() | replaced


def apps_of_database() -> Apps:
    """The models at the database's own state. Raises BackupError if it is a newer version's."""
    loader = MigrationLoader(connection)
    applied = set(loader.applied_migrations or ())
    if not applied:
        raise BackupError("The database has no tables of Roundtrip: there is nothing to back up.")
    if not is_known(applied):
        raise BackupError("The database is of a newer version of Roundtrip: back it up with that.")
    nodes = [key for key in loader.graph.nodes if key in applied]
    if len(nodes) == len(loader.graph.nodes):
        return cast(Apps, apps)
    state: Any = loader.project_state(nodes)
    return cast(Apps, state.apps)


def bring_to(applied: Sequence[Applied]) -> None:
    """Makes the tables of this state in an empty database.

    The migrations are noted first, so that Django resolves squashed ones as it does on a database
    of that state; then all of them run.
    """
    MigrationRecorder(connection).ensure_schema()
    note(applied)
    executor: Any = MigrationExecutor(connection)
    ends = _ends(executor.loader)
    plan = executor.migration_plan(ends, clean_start=True)
    executor.migrate(ends, plan=plan, state=executor.loader.project_state([]))
    note(applied)


def note(applied: Sequence[Applied]) -> None:
    """Replaces the list of applied migrations."""
    zone = "+00:00" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations")
        cursor.executemany(
            "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)",
            [(app, name, at + zone) for app, name, at in applied],
        )


def bring_up_to_date() -> None:
    """Applies the migrations that are missing, and what follows them: permissions, triggers."""
    call_command("migrate", interactive=False, verbosity=0)


def _ends(loader: MigrationLoader) -> list[Key]:
    """The applied migrations that no other one of them depends on."""
    graph: Any = loader.graph
    applied = [key for key in sorted(graph.nodes) if key in (loader.applied_migrations or ())]
    return [
        key
        for key in applied
        if not any(child.key in applied for child in graph.node_map[key].children)
    ]
