"""The indexes of words, of messages and titles and of the passages of files.

Words arrive segmented and folded (`tracing.search.tokens`); `ascii` leaves them as they are. The
triggers that note what is to be indexed are made after each migration (`chat.search.triggers`).
"""

from django.db import migrations

from chat.search import triggers

INDEXES = {
    "sqlite": (
        "CREATE VIRTUAL TABLE chat_words USING fts5("
        "words, pairs, scope, tokenize='ascii', columnsize=0)",
        "CREATE VIRTUAL TABLE chat_passagewords USING fts5("
        "words, pairs, scope, tokenize='ascii')",
    ),
    "postgresql": (
        "CREATE TABLE chat_words (key bigint NOT NULL, part integer NOT NULL,"
        " owner_id integer NOT NULL, conversation_id bigint NOT NULL, words tsvector NOT NULL,"
        " PRIMARY KEY (key, part))",
        "CREATE INDEX chat_words_words ON chat_words USING gin (words)",
        # The latest texts of a user, or of a conversation, which are looked through for frequent
        # words.
        "CREATE INDEX chat_words_owner ON chat_words (owner_id, key)",
        "CREATE INDEX chat_words_conversation ON chat_words (conversation_id, key)",
        "CREATE TABLE chat_passagewords (key bigint NOT NULL PRIMARY KEY,"
        " owner_id integer NOT NULL, file_id bigint NOT NULL, words tsvector NOT NULL)",
        "CREATE INDEX chat_passagewords_words ON chat_passagewords USING gin (words)",
        # The passages of a file, and of a user.
        "CREATE INDEX chat_passagewords_file ON chat_passagewords (file_id)",
        "CREATE INDEX chat_passagewords_owner ON chat_passagewords (owner_id)",
    ),
}


def make_indexes(apps, schema_editor):
    for statement in INDEXES[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


def drop_indexes(apps, schema_editor):
    triggers.remove(schema_editor.connection)
    for table in ("chat_words", "chat_passagewords"):
        schema_editor.execute(f"DROP TABLE {table}", params=None)


class Migration(migrations.Migration):
    replaces = [
        ("chat", "0020_finding"),
        ("chat", "0031_file_passages"),
    ]

    dependencies = [
        ("chat", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(make_indexes, drop_indexes),
    ]
