import db.fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from chat.search import triggers

# The index of words, as that of messages (0020).
SQLITE = (
    "CREATE VIRTUAL TABLE chat_passagewords USING fts5(words, pairs, scope, tokenize='ascii')",
)
POSTGRESQL = (
    "CREATE TABLE chat_passagewords (key bigint NOT NULL PRIMARY KEY,"
    " owner_id integer NOT NULL, file_id bigint NOT NULL, words tsvector NOT NULL)",
    "CREATE INDEX chat_passagewords_words ON chat_passagewords USING gin (words)",
    # The passages of a file, and of a user.
    "CREATE INDEX chat_passagewords_file ON chat_passagewords (file_id)",
    "CREATE INDEX chat_passagewords_owner ON chat_passagewords (owner_id)",
)
# What there is already is noted, to be indexed in the background.
NOTE_ALL = (
    "INSERT INTO chat_unindexedfile (key)"
    " SELECT id FROM chat_attachment WHERE media_type = 'text/plain'",
    "INSERT INTO chat_unindexedfile (key)"
    " SELECT -id FROM chat_projectfile WHERE media_type = 'text/plain'",
)


def make_index(apps, schema_editor):
    connection = schema_editor.connection
    for statement in SQLITE if connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement, params=None)
    triggers.install(connection)
    for statement in NOTE_ALL:
        schema_editor.execute(statement, params=None)


def drop_index(apps, schema_editor):
    triggers.remove(schema_editor.connection)
    schema_editor.execute("DROP TABLE chat_passagewords", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0030_links_with_subagents"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="has_files",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddField(
            model_name="personalsettings",
            name="searches_all_files",
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name="SearchedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("passages_count", models.PositiveIntegerField(default=0)),
                (
                    "attachment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="searched",
                        to="chat.attachment",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="searched_files",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project_file",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="searched",
                        to="chat.projectfile",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("page", models.PositiveIntegerField(default=0)),
                ("line", models.PositiveIntegerField()),
                ("heading", db.fields.SentenceField(blank=True, default="")),
                ("text", db.fields.SentenceField()),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="chat.searchedfile",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="UnindexedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["key"], name="unindexed_file_key")],
            },
        ),
        migrations.AddConstraint(
            model_name="searchedfile",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("attachment__isnull", False), ("project_file__isnull", False), _connector="XOR"
                ),
                name="searched_file_is_of_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.UniqueConstraint(
                fields=("file", "number"), name="passage_once_a_number"
            ),
        ),
        migrations.RunPython(make_index, drop_index),
    ]
