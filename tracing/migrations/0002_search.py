"""The index of words of traces, and the triggers that delete from it what is deleted."""

import django.db.models.deletion
from django.db import migrations, models

from tracing.search import deleted_words

# By hand: Django does not know these defaults of the database.
COLUMNS = {
    "sqlite": (
        "ALTER TABLE tracing_searchtext ADD COLUMN origins BLOB NOT NULL DEFAULT x''",
        "ALTER TABLE tracing_searchtext ADD COLUMN left_out bigint unsigned NOT NULL DEFAULT 0"
        " CHECK (left_out >= 0)",
        "ALTER TABLE tracing_searchtext ADD COLUMN version smallint unsigned NOT NULL DEFAULT 0"
        " CHECK (version >= 0)",
    ),
    "postgresql": (
        "ALTER TABLE tracing_searchtext ADD COLUMN words tsvector",
        "ALTER TABLE tracing_searchtext ADD COLUMN origins bytea NOT NULL DEFAULT ''",
        "ALTER TABLE tracing_searchtext ADD COLUMN left_out bigint NOT NULL DEFAULT 0"
        " CHECK (left_out >= 0)",
        "ALTER TABLE tracing_searchtext ADD COLUMN version smallint NOT NULL DEFAULT 0"
        " CHECK (version >= 0)",
    ),
}
OUTDATED = "CREATE INDEX search_text_outdated ON tracing_searchtext (version, trace_id DESC)"
# Words arrive segmented and folded (`tracing.search.tokens`); `ascii` leaves them as they are.
INDEX = {
    "sqlite": (
        "CREATE VIRTUAL TABLE tracing_words USING fts5("
        "words, pairs, tokenize='ascii', columnsize=0)",
        "CREATE TRIGGER tracing_words_gone AFTER DELETE ON tracing_searchtext BEGIN "
        "DELETE FROM tracing_words WHERE rowid = old.trace_id; END",
        deleted_words.trigger("tracing_words_noted", "tracing_searchtext", "tracing_words"),
    ),
    "postgresql": (
        "CREATE INDEX searchtext_words ON tracing_searchtext USING gin (words)",
        # What is too long for one tsvector. A trigger instead of a foreign key: a table that
        # another one refers to cannot be truncated alone.
        "CREATE TABLE tracing_searchpart (trace_id bigint NOT NULL, words tsvector NOT NULL)",
        "CREATE INDEX searchpart_words ON tracing_searchpart USING gin (words)",
        "CREATE INDEX searchpart_trace ON tracing_searchpart (trace_id)",
        "CREATE FUNCTION tracing_searchpart_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " DELETE FROM tracing_searchpart WHERE trace_id = old.trace_id; RETURN old; END $$",
        "CREATE TRIGGER tracing_searchpart_gone AFTER DELETE ON tracing_searchtext"
        " FOR EACH ROW EXECUTE FUNCTION tracing_searchpart_gone()",
    ),
}
# Before the table itself goes, with its columns, indexes and triggers.
BACK = {
    "sqlite": ("DROP TABLE tracing_words",),
    "postgresql": (
        "DROP TRIGGER tracing_searchpart_gone ON tracing_searchtext",
        "DROP FUNCTION tracing_searchpart_gone",
        "DROP TABLE tracing_searchpart",
    ),
}


def make_index(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for statement in (*COLUMNS[vendor], OUTDATED, *INDEX[vendor]):
        schema_editor.execute(statement, params=None)


def drop_index(apps, schema_editor):
    for statement in BACK[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    replaces = [
        ("tracing", "0004_finding"),
        ("tracing", "0008_search_origins"),
        ("tracing", "0022_deleted_words"),
    ]

    dependencies = [
        ("tracing", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchText",
            fields=[
                (
                    "trace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="search_text",
                        serialize=False,
                        to="tracing.trace",
                    ),
                ),
                ("text", models.BinaryField()),
            ],
        ),
        migrations.SeparateDatabaseAndState(
            [migrations.RunPython(make_index, drop_index)],
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
