"""Whether the database of an earlier commit can be migrated from here.

The first migrations of an app, `0001_initial` and in some `0002_search`, stand in place of all
those up to commit 8fa103c0, and name them (`replaces`). Django takes a database with all of them
for up to date. From one with some of them no migration leads on, and Django would pass over it in
silence.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

REFUSAL = (
    "This database was made by an earlier commit: migrate it with commit 8fa103c0 first, then again"
    " with this one."
)


def check_migrations(
    app_configs: Any, databases: Collection[str] | None, **options: Any
) -> Sequence[CheckMessage]:
    """An error for each database in which only some of a migration's predecessors are applied."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return [
        Error(REFUSAL, id="roundtrip.E001")
        for alias in databases or ()
        for applied in [MigrationRecorder(connections[alias]).applied_migrations().keys()]
        if any(_is_partly_applied(one, applied) for one in loader.disk_migrations.values())
    ]


def _is_partly_applied(migration: Migration, applied: Collection[tuple[str, str]]) -> bool:
    """One of before may have the migration's own name, which is not among those it replaces."""
    replaced = {*migration.replaces}
    own = (migration.app_label, migration.name)
    return not replaced.issubset(applied) and not {*replaced, own}.isdisjoint(applied)
