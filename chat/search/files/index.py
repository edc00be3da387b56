"""The table `chat_passagewords`: the words of each passage by its key, with its owner and file.

On SQLite it is an FTS5 table with a column `scope`, which holds a word for the owner and one for
the file; on PostgreSQL a table of tsvectors with both as columns (`chat.search.index`).
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection

from chat.search.files.ranking import QueryTerm
from db.fields import storable
from limits.search import MAX_PASSAGE_CANDIDATES
from tracing.search.index import columns, vectors

_SQLITE = "INSERT INTO chat_passagewords (rowid, words, pairs, scope) VALUES (%s, %s, %s, %s)"
_POSTGRESQL = (
    "INSERT INTO chat_passagewords (key, owner_id, file_id, words) VALUES (%s, %s, %s, %s)"
)


def words_of(text: str) -> tuple[str, ...]:
    """The values of a passage's words; to be made before the transaction that writes them."""
    if connection.vendor == "postgresql":
        return (next(vectors(storable(text))),)
    return columns(storable(text))


def write(rows: Collection[tuple[int, tuple[str, ...]]], owner: int, file: int) -> None:
    """The words of new passages of a file, by key."""
    if connection.vendor == "postgresql":
        statement = _POSTGRESQL
        values: list[tuple[Any, ...]] = [(key, owner, file, *words) for key, words in rows]
    else:
        statement = _SQLITE
        values = [(key, *words, f"u{owner} f{file}") for key, words in rows]
    with connection.cursor() as cursor:
        cursor.executemany(statement, values)


def candidates(terms: Sequence[QueryTerm], owner: int, files: Sequence[int] | None) -> list[int]:
    """The keys of the passages that have any of the terms, those that seem best first; of these
    files, or of all of the owner."""
    if not terms or (files is not None and not files):
        return []
    statement = _tsvectors if connection.vendor == "postgresql" else _fts5
    sql, parameters = statement(terms, owner, files)
    with connection.cursor() as cursor:
        cursor.execute(sql, [*parameters, MAX_PASSAGE_CANDIDATES])
        return [row[0] for row in cursor.fetchall()]


def _fts5(
    terms: Sequence[QueryTerm], owner: int, files: Sequence[int] | None
) -> tuple[str, list[Any]]:
    places = [f"u{owner}"] if files is None else [f"f{pk}" for pk in files]
    words = " OR ".join(
        f'{"pairs" if term.is_pair else "words"} : "{term.text}"{" *" if term.is_prefix else ""}'
        for term in terms
    )
    match = f"scope : ({' OR '.join(places)}) AND ({words})"
    sql = (
        "SELECT rowid FROM chat_passagewords WHERE chat_passagewords MATCH %s"
        " ORDER BY bm25(chat_passagewords, 1.0, 1.0, 0.0) LIMIT %s"
    )
    return sql, [match]


def _tsvectors(
    terms: Sequence[QueryTerm], owner: int, files: Sequence[int] | None
) -> tuple[str, list[Any]]:
    query = " | ".join(f"'{term.text}'{':*' if term.is_prefix else ''}" for term in terms)
    where, place = ("owner_id = %s", owner) if files is None else ("file_id = ANY(%s)", list(files))
    sql = (
        f"SELECT key FROM chat_passagewords WHERE {where} AND words @@ %s::tsquery"
        " ORDER BY ts_rank(words, %s::tsquery) DESC, key LIMIT %s"
    )
    return sql, [place, query, query]
