from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.postgres

BEFORE = [("accounts", "0001_initial"), ("audit", "0001_initial")]
AFTER = [("accounts", "0002_delete_auditentry")]


@pytest.mark.django_db(transaction=True)
def test_rows_of_the_sign_in_log_become_rows_of_the_audit_log() -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        apps: Any = migrated(BEFORE)
        ann = apps.get_model("auth", "User").objects.create(username="ann")
        entries = apps.get_model("accounts", "AuditEntry").objects
        entries.create(action="signed_in", username="ann", address="192.0.2.1")
        entries.create(action="failed", username="ann", address="192.0.2.2")

        events = migrated(AFTER).get_model("audit", "Event").objects.order_by("pk")
        rows = list(events.values_list("action", "actor", "actor_name", "address"))
        assert rows == [
            ("signed_in", ann.pk, "ann", "192.0.2.1"),
            ("sign_in_failed", None, "ann", "192.0.2.2"),
        ]
    finally:
        migrated(newest)


def migrated(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps
