"""The traces that match a query."""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import BooleanField, F, Func, QuerySet
from django.db.models.expressions import RawSQL

from db.unindexed import Unindexed
from tracing.models import Trace
from tracing.search.query import Term, parse

_SQLITE = "SELECT rowid FROM tracing_words WHERE tracing_words MATCH %s"
# All terms in the first tsvector of a trace; or spread over it and the further ones of a long text.
_ALL = "SELECT trace_id FROM tracing_searchtext WHERE words @@ %s::tsquery"
_FURTHER = (
    "SELECT DISTINCT trace_id FROM tracing_searchpart AS part WHERE words @@ %s::tsquery"
    " AND NOT EXISTS (SELECT FROM tracing_searchtext AS one WHERE one.trace_id = part.trace_id"
    " AND one.words @@ %s::tsquery)"
)
_ALSO = (
    "(EXISTS (SELECT FROM tracing_searchtext AS one WHERE one.trace_id = part.trace_id"
    " AND one.words @@ %s::tsquery) OR EXISTS (SELECT FROM tracing_searchpart AS one"
    " WHERE one.trace_id = part.trace_id AND one.words @@ %s::tsquery))"
)


def search(query: str, traces: QuerySet[Trace]) -> QuerySet[Trace]:
    """The traces among these that have all terms of the query; none for a query without terms."""
    terms = parse(query)
    if not terms:
        return traces.none()
    return traces.filter(has_words(terms))


def has_words(terms: Sequence[Term], above: int = 0) -> Func:
    """A condition to filter traces by. With `above` only traces of a higher primary key match,
    which is quicker for frequent words."""
    statement, column, parameters = _statement(terms)
    if above:
        statement, parameters = f"{statement} AND {column} > %s", [*parameters, above]
    # Without an index on the key the planner keeps to the index of the list's order.
    key = Unindexed(F("pk"))
    return _In(key, RawSQL(statement, parameters), output_field=BooleanField())


def matching_ids(terms: Sequence[Term], max_rows: int) -> list[int]:
    """The primary keys of at most `max_rows` traces that have all terms, in no order."""
    statement, _, parameters = _statement(terms)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} LIMIT %s", [*parameters, max_rows])
        return [row[0] for row in cursor.fetchall()]


def matching_ids_among(terms: Sequence[Term], ids: Sequence[int]) -> list[int]:
    """The primary keys among these, a few thousand at most, of the traces that have all terms. Only
    these traces are read, not all that have the words."""
    statement, column, parameters = _statement(terms)
    values: list[Any]
    if connection.vendor == "postgresql":
        condition, values = f"{column} = ANY(%s)", [list(ids)]
    else:
        # The plus: else SQLite would query the index of words once for each id.
        condition, values = f"+{column} IN ({', '.join(['%s'] * len(ids))})", list(ids)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} AND {condition}", [*parameters, *values])
        return [row[0] for row in cursor.fetchall()]


class _In(Func):
    template = "%(expressions)s"
    arg_joiner = " IN "


def _statement(terms: Sequence[Term]) -> tuple[str, str, list[Any]]:
    """A statement that selects traces, the name of its column, and its parameters. Further
    conditions may be appended with AND."""
    if connection.vendor != "postgresql":
        return _SQLITE, "rowid", [" AND ".join(map(fts5, terms))]
    queries = list(map(tsquery, terms))
    all_terms = " & ".join(queries)
    further, parameters = [_FURTHER], [all_terms, " | ".join(queries), all_terms]
    if len(queries) > 1:
        further += [_ALSO] * len(queries)
        parameters += [query for one in queries for query in (one, one)]
    union = f"{_ALL} UNION ALL {' AND '.join(further)}"
    return f"SELECT trace_id FROM ({union}) AS found WHERE TRUE", "trace_id", parameters


def fts5(term: Term) -> str:
    """The term for FTS5, of a table with the columns `words` and `pairs`."""
    column, texts = ("pairs", term.pairs) if term.is_run else ("words", term.texts)
    return f'{column} : "{" ".join(texts)}"{" *" if term.is_prefix else ""}'


def tsquery(term: Term) -> str:
    """The term for a tsvector of words and pairs."""
    texts = term.pairs if term.is_run else term.texts
    quoted = [f"'{text}'" for text in texts]
    if term.is_prefix:
        quoted[-1] += ":*"
    return f"({' <-> '.join(quoted)})"
