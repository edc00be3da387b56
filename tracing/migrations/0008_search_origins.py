from django.db import migrations, models

# By hand: Django would copy the table on SQLite, and with it drop the trigger that empties the
# index of words.
SQLITE = (
    "ALTER TABLE tracing_searchtext ADD COLUMN origins BLOB NOT NULL DEFAULT x''",
    "ALTER TABLE tracing_searchtext ADD COLUMN left_out bigint unsigned NOT NULL DEFAULT 0"
    " CHECK (left_out >= 0)",
    "ALTER TABLE tracing_searchtext ADD COLUMN version smallint unsigned NOT NULL DEFAULT 0"
    " CHECK (version >= 0)",
    "CREATE INDEX search_text_outdated ON tracing_searchtext (version, trace_id DESC)",
)
POSTGRESQL = (
    "ALTER TABLE tracing_searchtext ADD COLUMN origins bytea NOT NULL DEFAULT ''",
    "ALTER TABLE tracing_searchtext ADD COLUMN left_out bigint NOT NULL DEFAULT 0"
    " CHECK (left_out >= 0)",
    "ALTER TABLE tracing_searchtext ADD COLUMN version smallint NOT NULL DEFAULT 0"
    " CHECK (version >= 0)",
    "CREATE INDEX search_text_outdated ON tracing_searchtext (version, trace_id DESC)",
    # What is too long for one tsvector. A trigger instead of a foreign key: a table that another
    # one refers to cannot be truncated alone.
    "CREATE TABLE tracing_searchpart (trace_id bigint NOT NULL, words tsvector NOT NULL)",
    "CREATE INDEX searchpart_words ON tracing_searchpart USING gin (words)",
    "CREATE INDEX searchpart_trace ON tracing_searchpart (trace_id)",
    "CREATE FUNCTION tracing_searchpart_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " DELETE FROM tracing_searchpart WHERE trace_id = old.trace_id; RETURN old; END $$",
    "CREATE TRIGGER tracing_searchpart_gone AFTER DELETE ON tracing_searchtext"
    " FOR EACH ROW EXECUTE FUNCTION tracing_searchpart_gone()",
)
COLUMNS = tuple(
    f"ALTER TABLE tracing_searchtext DROP COLUMN {name}"
    for name in ("origins", "left_out", "version")
)
BACK = {
    "sqlite": ("DROP INDEX search_text_outdated", *COLUMNS),
    "postgresql": (
        "DROP TRIGGER tracing_searchpart_gone ON tracing_searchtext",
        "DROP FUNCTION tracing_searchpart_gone",
        "DROP TABLE tracing_searchpart",
        "DROP INDEX search_text_outdated",
        *COLUMNS,
    ),
}


def change(apps, schema_editor):
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement, params=None)


def change_back(apps, schema_editor):
    for statement in BACK[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):

    dependencies = [
        ("tracing", "0007_agent"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunPython(change, change_back)],
            [
                migrations.AddField(
                    model_name="searchtext",
                    name="origins",
                    field=models.BinaryField(default=b""),
                ),
                migrations.AddField(
                    model_name="searchtext",
                    name="left_out",
                    field=models.PositiveBigIntegerField(default=0),
                ),
                migrations.AddField(
                    model_name="searchtext",
                    name="version",
                    field=models.PositiveSmallIntegerField(default=0),
                ),
                migrations.AddIndex(
                    model_name="searchtext",
                    index=models.Index(fields=["version", "-trace"], name="search_text_outdated"),
                ),
            ],
        ),
    ]
