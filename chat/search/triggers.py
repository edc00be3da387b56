"""Triggers by which the database notes what is to be indexed, in the transaction that writes it.

A message or title that is written, by whatever statement, is a row of `chat_unindexedtext`; the
worker takes these rows (`chat.search.indexing`). So nothing is lost with a process, and no write
needs a statement of its own. What is deleted is deleted from the index in the same transaction.

They are made after each migration: on SQLite Django writes a table anew to change it, which drops
its triggers.
"""

from collections.abc import Iterator
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

_SEARCHED = "NEW.role IN ('user', 'assistant')"
_NOTE = "INSERT INTO chat_unindexedtext (key) VALUES ({key})"
_FORGET = (
    "DELETE FROM chat_unindexedtext WHERE key = {key}",
    "DELETE FROM chat_words WHERE {column} = {key}",
)
# Table, name of its triggers, the event after which a text is noted, a condition, the sign of keys.
_TABLES = (
    ("chat_message", "message", "body", _SEARCHED, ""),
    ("chat_conversation", "title", "title", "NEW.title <> ''", "-"),
)
_CHANGED = "OLD.{column} <> NEW.{column}"


def install(connection: BaseDatabaseWrapper) -> None:
    """Makes the triggers that are not there."""
    statements = _postgresql() if connection.vendor == "postgresql" else _sqlite()
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def install_after_migration(using: str, **_: Any) -> None:
    """A receiver of `post_migrate`; before the index has its tables it does nothing."""
    from django.db import connections

    connection = connections[using]
    tables = set(connection.introspection.table_names())
    if {"chat_words", "chat_unindexedtext", "chat_message", "chat_conversation"} <= tables:
        install(connection)


def _sqlite() -> Iterator[str]:
    for table, name, column, condition, sign in _TABLES:
        note = _NOTE.format(key=f"{sign}NEW.id")
        forget = "; ".join(_FORGET).format(key=f"{sign}OLD.id", column="rowid")
        changed = _CHANGED.format(column=column)
        begin = f"CREATE TRIGGER IF NOT EXISTS chat_{name}"
        yield f"{begin}_written AFTER INSERT ON {table} WHEN {condition} BEGIN {note}; END"
        event = f"AFTER UPDATE OF {column} ON {table}"
        yield f"{begin}_changed {event} WHEN {changed} BEGIN {note}; END"
        yield f"{begin}_gone AFTER DELETE ON {table} BEGIN {forget}; END"


def _postgresql() -> Iterator[str]:
    for table, name, column, condition, sign in _TABLES:
        note = _NOTE.format(key=f"{sign}NEW.id")
        forget = "; ".join(_FORGET).format(key=f"{sign}OLD.id", column="key")
        yield _function(f"chat_{name}_note", note)
        yield _function(f"chat_{name}_forget", forget)
        changed = _CHANGED.format(column=column)
        event = f"AFTER UPDATE OF {column} ON {table}"
        yield _trigger(f"chat_{name}_written", f"AFTER INSERT ON {table}", condition, "note", name)
        yield _trigger(f"chat_{name}_changed", event, changed, "note", name)
        yield _trigger(f"chat_{name}_gone", f"AFTER DELETE ON {table}", "TRUE", "forget", name)


def _function(name: str, statements: str) -> str:
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {statements}; RETURN NULL; END $$"
    )


def _trigger(name: str, event: str, condition: str, function: str, of: str) -> str:
    return (
        f"CREATE OR REPLACE TRIGGER {name} {event} FOR EACH ROW WHEN ({condition}) "
        f"EXECUTE FUNCTION chat_{of}_{function}()"
    )


def remove(connection: BaseDatabaseWrapper) -> None:
    """Drops the triggers."""
    on = "ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for table, name, *_ in _TABLES:
            for event in ("written", "changed", "gone"):
                cursor.execute(
                    f"DROP TRIGGER IF EXISTS chat_{name}_{event} {on.format(table=table)}"
                )
