"""What is left of deleted rows in the files of SQLite, as any program reads them."""

import secrets
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from db import sqlite_files

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="about the files of SQLite"),
]


def words(count: int) -> list[str]:
    """Words that occur nowhere else."""
    letters = string.ascii_lowercase
    return ["".join(secrets.choice(letters) for _ in range(16)) for _ in range(count)]


def kept(texts: list[str]) -> list[str]:
    """Those of the texts that are in the database or in its log."""
    database = Path(connection.settings_dict["NAME"])
    log = database.with_name(f"{database.name}-wal")
    content = database.read_bytes() + log.read_bytes()
    return [text for text in texts if text.encode() in content]


def execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


@pytest.fixture
def table() -> Iterator[None]:
    execute("CREATE TABLE notes (id integer PRIMARY KEY, body text)")
    yield
    execute("DROP TABLE notes")


@pytest.fixture
def index() -> Iterator[Callable[[str], None]]:
    execute("CREATE VIRTUAL TABLE found USING fts5(words, columnsize=0)")
    yield lambda text: execute("INSERT INTO found (words) VALUES (%s)", text)
    execute("DROP TABLE found")


def test_deleted_rows_are_in_neither_file(table: None) -> None:
    texts = words(50)
    for text in texts:
        execute("INSERT INTO notes (body) VALUES (%s)", f"{text} " * 300)
    execute("DELETE FROM notes")
    assert kept(texts)
    assert sqlite_files.truncate_log()
    assert kept(texts) == []


def test_deleted_words_are_in_no_index(index: Callable[[str], None]) -> None:
    texts = words(200)
    for text in texts:
        index(text)
    execute("DELETE FROM found WHERE rowid > 1")
    sqlite_files.truncate_log()
    assert kept(texts[1:])
    sqlite_files.merge_words("found")
    sqlite_files.truncate_log()
    assert kept(texts) == texts[:1]


def test_no_copy_of_a_deleted_row_is_left_in_a_page(table: None) -> None:
    texts = words(4_000)
    with transaction.atomic():
        for number, text in enumerate(texts):
            execute("INSERT INTO notes (body) VALUES (%s)", f"{text} " + "x" * (number * 37 % 900))
    for part in range(18):  # neighbours are merged again and again
        execute("DELETE FROM notes WHERE id * 7 %% 19 = %s", part)
    deleted = [text for number, text in enumerate(texts, 1) if number * 7 % 19 != 18]
    assert sqlite_files.rewrite()
    sqlite_files.truncate_log()
    assert kept(deleted) == []


def test_a_large_database_is_not_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "MAX_REWRITTEN_BYTES", 1)
    assert not sqlite_files.rewrite()


def test_a_log_that_is_read_is_not_emptied_and_keeps_no_writer(
    table: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "LOG_ATTEMPTS", 2)
    with sqlite_files._connected() as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM notes").fetchall()
        execute("INSERT INTO notes (body) VALUES ('later')")
        assert not sqlite_files.truncate_log()
        execute("INSERT INTO notes (body) VALUES ('later still')")
    assert sqlite_files.truncate_log()
