import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import db.fields
from chat.search import triggers

# The index of words. Words arrive segmented and folded (`tracing.search.tokens`); `ascii` leaves
# them as they are.
SQLITE = (
    "CREATE VIRTUAL TABLE chat_words USING fts5("
    "words, pairs, scope, tokenize='ascii', columnsize=0)",
)
POSTGRESQL = (
    "CREATE TABLE chat_words (key bigint NOT NULL, part integer NOT NULL,"
    " owner_id integer NOT NULL, conversation_id bigint NOT NULL, words tsvector NOT NULL,"
    " PRIMARY KEY (key, part))",
    "CREATE INDEX chat_words_words ON chat_words USING gin (words)",
    # The latest texts of a user, or of a conversation, which are looked through for frequent words.
    "CREATE INDEX chat_words_owner ON chat_words (owner_id, key)",
    "CREATE INDEX chat_words_conversation ON chat_words (conversation_id, key)",
)
# What there is already is noted, to be indexed in the background.
NOTE_ALL = (
    "INSERT INTO chat_unindexedtext (key)"
    " SELECT id FROM chat_message WHERE role IN ('user', 'assistant')",
    "INSERT INTO chat_unindexedtext (key) SELECT -id FROM chat_conversation WHERE title <> ''",
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
    schema_editor.execute("DROP TABLE chat_words", params=None)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("chat", "0019_fill_branches"),
    ]

    operations = [
        migrations.CreateModel(
            name="Tag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", db.fields.LabelField(max_length=40)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversation_tags",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="tag_once_a_user")
                ],
            },
        ),
        migrations.CreateModel(
            name="UnindexedText",
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
                "indexes": [models.Index(fields=["key"], name="unindexed_text_key")],
            },
        ),
        migrations.AddField(
            model_name="conversation",
            name="pinned",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="conversation",
            name="archived",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="conversation",
            name="tags",
            field=models.ManyToManyField(blank=True, related_name="conversations", to="chat.tag"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("pinned__isnull", False)),
                fields=["owner", "-pinned"],
                name="conversation_pinned",
            ),
        ),
        migrations.RunPython(make_index, drop_index),
    ]
