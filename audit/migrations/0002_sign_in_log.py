"""The rows of the sign-in log, which was a table of its own, become rows of the audit log."""

from typing import Any

from django.db import migrations

NAMES = {"failed": "sign_in_failed", "throttled": "sign_in_throttled"}
OF_A_PERSON = {"signed_in", "link_used", "signed_out"}


def move(apps: Any, schema_editor: Any) -> None:
    entries = apps.get_model("accounts", "AuditEntry").objects.order_by("pk")
    event = apps.get_model("audit", "Event")
    people = dict(apps.get_model("auth", "User").objects.values_list("username", "pk"))
    batch = []
    for entry in entries.iterator(chunk_size=1000):
        batch.append(
            event(
                when=entry.when,
                action=NAMES.get(entry.action, entry.action),
                actor_id=people.get(entry.username) if entry.action in OF_A_PERSON else None,
                actor_name=entry.username,
                address=entry.address,
            )
        )
        if len(batch) == 1000:
            event.objects.bulk_create(batch)
            batch = []
    event.objects.bulk_create(batch)


class Migration(migrations.Migration):
    dependencies = (("accounts", "0001_initial"), ("audit", "0001_initial"))
    operations = (migrations.RunPython(move, migrations.RunPython.noop, elidable=True),)
