"""The keys of the texts that match terms, among those of a user or of some conversations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tracing.search.matching import fts5, tsquery
from tracing.search.query import Term

# Beyond every key of a message.
_END = 2**62


@dataclass(frozen=True)
class Scope:
    """Where a search looks: in the texts of a user and of conversations that others share with
    them, or in some conversations alone (primary keys)."""

    owner: int
    conversations: Sequence[int] | None = None
    shared: Sequence[int] = ()


def matching_messages(
    terms: Sequence[Term], scope: Scope, max_rows: int, below: int | None = None
) -> list[int]:
    """The keys of at most `max_rows` messages that have all terms, the latest first; with `below`
    only of messages before that one."""
    return _matching(terms, scope, max_rows, 0, below or _END)


def matching_titles(terms: Sequence[Term], scope: Scope, max_rows: int) -> list[int]:
    """The conversations (primary keys) whose titles have all terms."""
    return [-key for key in _matching(terms, scope, max_rows, -_END, 0)]


def _matching(
    terms: Sequence[Term], scope: Scope, max_rows: int, above: int, below: int
) -> list[int]:
    if not terms or (scope.conversations is not None and not scope.conversations):
        return []
    is_postgresql = connection.vendor == "postgresql"
    sql, parameters = (_tsvectors if is_postgresql else _fts5)(terms, scope)
    key = "key" if is_postgresql else "rowid"
    sql = f"{sql} AND {key} > %s AND {key} < %s ORDER BY {key} DESC LIMIT %s"
    keys: list[int] = []
    # A long text has several rows on PostgreSQL: there may be more texts than a first reading has.
    while room := max_rows - len(keys):
        rows = _keys(sql, [*parameters, above, below, room])
        keys += dict.fromkeys(rows)
        if len(rows) < room:
            break
        below = keys[-1]
    return keys


def _keys(sql: str, parameters: Sequence[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [row[0] for row in cursor.fetchall()]


def _fts5(terms: Sequence[Term], scope: Scope) -> tuple[str, list[Any]]:
    match = " AND ".join([f"scope : ({' OR '.join(_places(scope))})", *map(fts5, terms)])
    return "SELECT rowid FROM chat_words WHERE chat_words MATCH %s", [match]


def _places(scope: Scope) -> Iterator[str]:
    if scope.conversations is None:
        yield f"u{scope.owner}"
        yield from (f"c{pk}" for pk in scope.shared)
    else:
        yield from (f"c{pk}" for pk in scope.conversations)


def _tsvectors(terms: Sequence[Term], scope: Scope) -> tuple[str, list[Any]]:
    query = " & ".join(map(tsquery, terms))
    where = "owner_id = %s"
    parameters: list[Any] = [scope.owner, query]
    if scope.shared:
        where = "(owner_id = %s OR conversation_id = ANY(%s))"
        parameters = [scope.owner, list(scope.shared), query]
    if scope.conversations is not None:
        where, parameters = "conversation_id = ANY(%s)", [list(scope.conversations), query]
    return f"SELECT key FROM chat_words WHERE {where} AND words @@ %s::tsquery", parameters
