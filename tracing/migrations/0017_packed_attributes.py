"""Attributes are stored compressed. Rows that were written before stay as they are: SQLite keeps a
text in a column of bytes, and PostgreSQL's become the bytes of that text."""

import django.db.models.deletion
from django.db import migrations, models

import tracing.models.packed_json

TABLES = ("tracing_span", "tracing_payload")
# Of foreign keys; other indexes and constraints begin with the same column.
UNUSED_INDEXES = (
    "tracing_payload_span_id_9ce4c5a0",
    "tracing_span_trace_id_62a1e33b",
    "tracing_blob_archive_id_8e61df77",
)


def forwards(apps, schema_editor):
    # Also those that wait for the end of a transaction in which tables are made.
    schema_editor.deferred_sql = [
        one for one in schema_editor.deferred_sql if not any(name in str(one) for name in UNUSED_INDEXES)
    ]
    for name in UNUSED_INDEXES:
        schema_editor.execute(f"DROP INDEX IF EXISTS {name}")
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(
                f"ALTER TABLE {table} ALTER COLUMN attributes TYPE bytea"
                " USING convert_to(attributes, 'UTF8')"
            )


class Migration(migrations.Migration):
    dependencies = [
        ("tracing", "0016_blob_base"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            # SQLite would copy whole tables.
            database_operations=[migrations.RunPython(forwards)],
            state_operations=[
                migrations.AlterField(
                    model_name=model,
                    name="attributes",
                    field=tracing.models.packed_json.PackedJSONField(default=dict),
                )
                for model in ("span", "payload")
            ]
            + [
                migrations.AlterField(
                    model_name=model,
                    name=name,
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name=related_name,
                        to=f"tracing.{to}",
                    ),
                )
                for model, name, related_name, to in (
                    ("span", "trace", "spans", "trace"),
                    ("payload", "span", "payloads", "span"),
                    ("blob", "archive", "blob_set", "archive"),
                )
            ],
        ),
    ]
