"""Which traces a query finds."""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import BooleanField, F, Func, QuerySet
from django.db.models.expressions import RawSQL

from db.unindexed import Unindexed
from tracing.models import Trace
from tracing.search.query import Term, parse

_SQLITE = "SELECT rowid FROM tracing_words WHERE tracing_words MATCH %s"
# In the first tsvector of a trace, or in one of the further ones that a long text has.
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
    """Those of the traces that have all of the query's terms; none for a query without any."""
    terms = parse(query)
    if not terms:
        return traces.none()
    return traces.filter(has_words(terms))


def has_words(terms: Sequence[Term], above: int = 0) -> Func:
    """A condition of a trace, to filter by. With `above` only traces of a higher primary key are
    looked at, which is quicker for words that many have."""
    statement, column, parameters = _statement(terms)
    if above:
        statement, parameters = f"{statement} AND {column} > %s", [*parameters, above]
    # It is to filter, and not to be walked in the place of the list's order.
    key = Unindexed(F("pk"))
    return _In(key, RawSQL(statement, parameters), output_field=BooleanField())


def some(terms: Sequence[Term], most: int) -> list[int]:
    """The primary keys of at most so many traces that have all terms, in no order."""
    statement, _, parameters = _statement(terms)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} LIMIT %s", [*parameters, most])
        return [row[0] for row in cursor.fetchall()]


def among(terms: Sequence[Term], ids: Sequence[int]) -> list[int]:
    """Those of a few thousand traces, by primary key, that have all terms: they alone are looked
    at, and not all that have the words."""
    statement, column, parameters = _statement(terms)
    given: list[Any]
    if connection.vendor == "postgresql":
        condition, given = f"{column} = ANY(%s)", [list(ids)]
    else:
        # The plus: the index of words would be asked for each of them.
        condition, given = f"+{column} IN ({', '.join(['%s'] * len(ids))})", list(ids)
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} AND {condition}", [*parameters, *given])
        return [row[0] for row in cursor.fetchall()]


class _In(Func):
    template = "%(expressions)s"
    arg_joiner = " IN "


def _statement(terms: Sequence[Term]) -> tuple[str, str, list[Any]]:
    """What names the traces, under which column, and its parameters. More conditions can
    follow."""
    if connection.vendor != "postgresql":
        return _SQLITE, "rowid", [" AND ".join(map(_fts5, terms))]
    queries = list(map(_tsquery, terms))
    both = " & ".join(queries)
    further, parameters = [_FURTHER], [both, " | ".join(queries), both]
    if len(queries) > 1:
        further += [_ALSO] * len(queries)
        parameters += [query for one in queries for query in (one, one)]
    union = f"{_ALL} UNION ALL {' AND '.join(further)}"
    return f"SELECT trace_id FROM ({union}) AS found WHERE TRUE", "trace_id", parameters


def _fts5(term: Term) -> str:
    column, texts = ("pairs", term.pairs) if term.is_run else ("words", term.texts)
    return f'{column} : "{" ".join(texts)}"{" *" if term.is_prefix else ""}'


def _tsquery(term: Term) -> str:
    texts = term.pairs if term.is_run else term.texts
    quoted = [f"'{text}'" for text in texts]
    if term.is_prefix:
        quoted[-1] += ":*"
    return f"({' <-> '.join(quoted)})"
