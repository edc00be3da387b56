"""Databases of before the migrations were squashed."""

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from config import prepare
from config.earlier_databases import REFUSAL

NEW = {("chat", "0002_search"), ("tracing", "0002_search")}


def problems() -> list[str]:
    return [error.msg for error in run_checks(tags=[Tags.database], databases=["default"])]


@pytest.fixture
def recorder(db: None) -> MigrationRecorder:
    """Of a database with all of the old migrations, whose names a new one has too."""
    recorder = MigrationRecorder(connection)
    for app, name in NEW:
        recorder.record_unapplied(app, name)
    return recorder


def test_a_database_with_all_old_migrations_is_up_to_date(recorder: MigrationRecorder) -> None:
    executor = MigrationExecutor(connection)
    assert ("chat", "0039_account_deletion_steps") in recorder.applied_migrations()
    assert not executor.migration_plan(executor.loader.graph.leaf_nodes())
    assert not problems()


@pytest.mark.parametrize(
    ("app", "name"),
    [
        ("chat", "0039_account_deletion_steps"),
        ("chat", "0031_file_passages"),
        ("tracing", "0022_deleted_words"),
        ("audit", "0003_filters"),
    ],
)
def test_a_database_with_some_of_them_is_refused(
    recorder: MigrationRecorder, app: str, name: str
) -> None:
    recorder.record_unapplied(app, name)
    assert problems() == [REFUSAL]
    with pytest.raises(SystemCheckError, match=REFUSAL):
        call_command("migrate", skip_checks=False, verbosity=0)


def test_a_database_with_the_first_of_them_alone_is_refused(recorder: MigrationRecorder) -> None:
    recorder.flush()
    recorder.record_applied("tools", "0001_initial")
    assert problems() == [REFUSAL]


def test_a_database_whose_first_migration_was_cut_short_goes_on(
    recorder: MigrationRecorder,
) -> None:
    """As after Ctrl-C: one app is there, another one is not."""
    for app, name in recorder.applied_migrations():
        if app in {"chat", "api"}:
            recorder.record_unapplied(app, name)
    assert not problems()


def test_an_empty_database_is_migrated(recorder: MigrationRecorder) -> None:
    recorder.flush()
    assert not problems()


def test_the_start_says_what_to_do(recorder: MigrationRecorder) -> None:
    recorder.record_unapplied("chat", "0039_account_deletion_steps")
    with pytest.raises(SystemExit, match=REFUSAL):
        prepare.main()
