"""The words of traces in the database's own index: FTS5 on SQLite, tsvectors on PostgreSQL.

Both get the same tokens, already cut and folded. FTS5 puts no two words at one place, so pairs have
a column of their own; a tsvector has words and pairs together, a pair where its first character is.
A tsvector knows no position beyond 16,383 and no more than 255 of a word, so what is longer than
`_PART` tokens has further ones in the table `tracing_searchpart`, which a trigger empties.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from django.db import connection, transaction

from db.fields import storable
from limits.traces import MAX_POSITIONS
from tracing.models import SearchText
from tracing.search.document import Document, pack_origins, unpack_origins
from tracing.search.tokens import Token, pairs, tokens
from tracing.store import compression

# Of what is indexed and how: traces with a lower one are indexed again in the background.
VERSION = 1
# Between the pairs of two runs, so that no phrase goes across.
_BREAK = "0"
# Tokens of a tsvector, and how many of them the next one begins with, so that a phrase at its end
# is found.
_PART = 4_000
_OVERLAP = 32


def write(texts: Mapping[int, str]) -> None:
    """Makes these texts what is searched of these traces, by primary key."""
    store({pk: Document(text) for pk, text in texts.items()})


def store(documents: Mapping[int, Document]) -> None:
    """The same with what says where the texts are from."""
    rows = [_row(pk, document) for pk, document in documents.items()]
    texts = {pk: storable(document.text) for pk, document in documents.items()}
    # What takes long is done before the transaction, which on SQLite holds the one write lock.
    if connection.vendor == "postgresql":
        words = partial(_write_vectors, {pk: list(vectors(text)) for pk, text in texts.items()})
    else:
        words = partial(_write_columns, {pk: _columns(text) for pk, text in texts.items()})
    with transaction.atomic():
        SearchText.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["trace"],
            update_fields=["text", "origins", "left_out", "version"],
        )
        words()


def read(trace_ids: Sequence[int]) -> dict[int, Document]:
    """What was written of these traces."""
    rows = SearchText.objects.filter(pk__in=trace_ids)
    return {
        pk: Document(
            compression.unpack(bytes(text)).decode(), unpack_origins(bytes(origins)), left_out
        )
        for pk, text, origins, left_out in rows.values_list("pk", "text", "origins", "left_out")
    }


def _row(pk: int, document: Document) -> SearchText:
    return SearchText(
        trace_id=pk,
        text=compression.pack(storable(document.text).encode()),
        origins=pack_origins(document.origins),
        left_out=document.left_out,
        version=VERSION,
    )


def _write_columns(columns: Mapping[int, tuple[str, str]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("DELETE FROM tracing_words WHERE rowid = %s", [(pk,) for pk in columns])
        cursor.executemany(
            "INSERT INTO tracing_words (rowid, words, pairs) VALUES (%s, %s, %s)",
            [(pk, *both) for pk, both in columns.items()],
        )


def _columns(text: str) -> tuple[str, str]:
    found = list(tokens(text))
    return " ".join(token.text for token in found), " ".join(_broken_pairs(found))


def _broken_pairs(found: list[Token]) -> Iterator[str]:
    before = 0
    for place, pair in pairs(found):
        if before and before != found[place].run:
            yield _BREAK
        before = found[place].run
        yield pair


def _write_vectors(parts: Mapping[int, list[str]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tracing_searchpart WHERE trace_id = ANY(%s)", [list(parts)])
        cursor.executemany(
            "UPDATE tracing_searchtext SET words = %s::tsvector WHERE trace_id = %s",
            [(some[0], pk) for pk, some in parts.items()],
        )
        cursor.executemany(
            "INSERT INTO tracing_searchpart (trace_id, words) VALUES (%s, %s::tsvector)",
            [(pk, part) for pk, some in parts.items() for part in some[1:]],
        )


def vectors(text: str) -> Iterator[str]:
    """The texts of the tsvectors, at least one."""
    found = list(tokens(text))
    for start in range(0, max(1, len(found)), _PART):
        yield _vector(found[start : start + _PART + _OVERLAP])


def _vector(found: list[Token]) -> str:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for place, token in enumerate(found, 1):
        places[token.text].append(str(place))
    for place, pair in pairs(found):
        places[pair].append(str(place + 1))
    return " ".join(f"'{text}':{','.join(at[:MAX_POSITIONS])}" for text, at in places.items())
