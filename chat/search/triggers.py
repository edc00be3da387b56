"""Triggers by which the database notes what is to be indexed, in the transaction that writes it.

A message or title that is written, by whatever statement, is a row of `chat_unindexedtext`, a file
one of `chat_unindexedfile`; the worker takes these rows (`chat.search.indexing`,
`chat.search.files.indexing`). So nothing is lost with a process, and no write
needs a statement of its own. What is deleted is deleted from the index in the same transaction; on
SQLite that is noted too (`tracing.search.deleted_words`).

They are made after each migration: on SQLite Django writes a table anew to change it, which drops
its triggers.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from tracing.search import deleted_words

_SEARCHED = "NEW.role IN ('user', 'assistant')"
_IS_TITLED = "NEW.title <> ''"
_IS_TEXT = "NEW.media_type = 'text/plain'"
_NOTE = "INSERT INTO {notes} (key) VALUES ({key})"
_FORGET_NOTE = "DELETE FROM {notes} WHERE key = {key}"
_FORGET_WORDS = "DELETE FROM {words} WHERE {column} = {key}"
# Table, name of its triggers, the column whose changes are noted, a condition, the sign of keys,
# the tables of notes and of words, if it has such. The words of a file are those of its passages.
_TABLES = (
    ("chat_message", "message", "body", _SEARCHED, "", "chat_unindexedtext", "chat_words"),
    ("chat_conversation", "title", "title", _IS_TITLED, "-", "chat_unindexedtext", "chat_words"),
    ("chat_attachment", "attachment", "content", _IS_TEXT, "", "chat_unindexedfile", ""),
    ("chat_projectfile", "project_file", "content", _IS_TEXT, "-", "chat_unindexedfile", ""),
    ("chat_passage", "passage", "", "", "", "", "chat_passagewords"),
)
_CHANGED = "OLD.{column} <> NEW.{column}"


def install(connection: BaseDatabaseWrapper) -> None:
    """Makes the triggers that are not there, of the tables that are."""
    known = set(connection.introspection.table_names())
    tables = [_Table(*one) for one in _TABLES]
    make = _postgresql if connection.vendor == "postgresql" else _sqlite
    with connection.cursor() as cursor:
        for table in tables:
            if {table.name, *filter(None, (table.notes, table.words))} <= known:
                for statement in make(table):
                    cursor.execute(statement)
            if connection.vendor == "sqlite" and {table.words, deleted_words.TABLE} <= known:
                cursor.execute(_words_note(table))


def install_after_migration(using: str, **_: Any) -> None:
    """A receiver of `post_migrate`."""
    install(connections[using])


class _Table(NamedTuple):
    name: str
    triggers: str
    column: str
    condition: str
    sign: str
    notes: str
    words: str

    def note(self) -> str:
        return _NOTE.format(notes=self.notes, key=f"{self.sign}NEW.id")

    def forget(self, column: str) -> str:
        """The statements when a row is deleted; `column`: of the key in the table of words."""
        key = f"{self.sign}OLD.id"
        note = _FORGET_NOTE.format(notes=self.notes, key=key) if self.notes else ""
        words = _FORGET_WORDS.format(words=self.words, column=column, key=key) if self.words else ""
        return "; ".join(filter(None, (note, words)))


def _sqlite(table: _Table) -> Iterator[str]:
    begin = f"CREATE TRIGGER IF NOT EXISTS chat_{table.triggers}"
    if table.notes:
        changed = _CHANGED.format(column=table.column)
        note = f"BEGIN {table.note()}; END"
        yield f"{begin}_written AFTER INSERT ON {table.name} WHEN {table.condition} {note}"
        event = f"AFTER UPDATE OF {table.column} ON {table.name}"
        yield f"{begin}_changed {event} WHEN {changed} {note}"
    yield f"{begin}_gone AFTER DELETE ON {table.name} BEGIN {table.forget('rowid')}; END"


def _words_note(table: _Table) -> str:
    return deleted_words.trigger(f"chat_{table.triggers}_noted", table.name, table.words)


def _postgresql(table: _Table) -> Iterator[str]:
    name, on = table.triggers, table.name
    if table.notes:
        yield _function(f"chat_{name}_note", table.note())
        changed = _CHANGED.format(column=table.column)
        event = f"AFTER UPDATE OF {table.column} ON {on}"
        written = f"AFTER INSERT ON {on}"
        yield _trigger(f"chat_{name}_written", written, table.condition, "note", name)
        yield _trigger(f"chat_{name}_changed", event, changed, "note", name)
    yield _function(f"chat_{name}_forget", table.forget("key"))
    yield _trigger(f"chat_{name}_gone", f"AFTER DELETE ON {on}", "TRUE", "forget", name)


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
    known = set(connection.introspection.table_names())
    on = "ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for table, name, *_ in _TABLES:
            for event in ("written", "changed", "gone", "noted") if table in known else ():
                cursor.execute(
                    f"DROP TRIGGER IF EXISTS chat_{name}_{event} {on.format(table=table)}"
                )
