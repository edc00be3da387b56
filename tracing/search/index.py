"""The words of traces in the database's index: FTS5 on SQLite, tsvectors on PostgreSQL.

Both get the same tokens, already split and folded. FTS5 has one word at a position, so pairs have a
column of their own; a tsvector has words and pairs together, a pair at the position of its first
character. A tsvector has no position beyond 16,383 and at most 255 positions of a word, so a text
of more than `_PART` tokens has further tsvectors in the table `tracing_searchpart`, which a trigger
empties.
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

# Version of the indexing rules: traces with a lower one are indexed again in the background.
VERSION = 1
# Stands between the pairs of two runs, so that no phrase matches across them.
_BREAK = "0"
# Tokens of a tsvector; tokens that the next one repeats, so that a phrase across the end is found.
_PART = 4_000
_OVERLAP = 32


def write(texts: Mapping[int, str]) -> None:
    """Replaces the searched texts of these traces, by primary key."""
    store({pk: Document(text) for pk, text in texts.items()})


def store(documents: Mapping[int, Document]) -> None:
    """The same with the origins of the texts."""
    rows = [_row(pk, document) for pk, document in documents.items()]
    texts = {pk: storable(document.text) for pk, document in documents.items()}
    # Tokens are made before the transaction, which on SQLite holds the one write lock.
    if connection.vendor == "postgresql":
        words = partial(_write_vectors, {pk: list(vectors(text)) for pk, text in texts.items()})
    else:
        words = partial(_write_columns, {pk: columns(text) for pk, text in texts.items()})
    with transaction.atomic():
        SearchText.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["trace"],
            update_fields=["text", "origins", "left_out", "version"],
        )
        words()


def read(trace_ids: Sequence[int]) -> dict[int, Document]:
    """The stored documents of these traces, by primary key."""
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


def _write_columns(columns_of: Mapping[int, tuple[str, str]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "DELETE FROM tracing_words WHERE rowid = %s", [(pk,) for pk in columns_of]
        )
        cursor.executemany(
            "INSERT INTO tracing_words (rowid, words, pairs) VALUES (%s, %s, %s)",
            [(pk, words, pair_text) for pk, (words, pair_text) in columns_of.items()],
        )


def columns(text: str) -> tuple[str, str]:
    """The columns `words` and `pairs` of the FTS5 table."""
    tokens_ = list(tokens(text))
    return " ".join(token.text for token in tokens_), " ".join(_pairs_and_breaks(tokens_))


def _pairs_and_breaks(tokens_: list[Token]) -> Iterator[str]:
    run = 0
    for place, pair in pairs(tokens_):
        if run and run != tokens_[place].run:
            yield _BREAK
        run = tokens_[place].run
        yield pair


def _write_vectors(vectors_of: Mapping[int, list[str]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM tracing_searchpart WHERE trace_id = ANY(%s)", [list(vectors_of)]
        )
        cursor.executemany(
            "UPDATE tracing_searchtext SET words = %s::tsvector WHERE trace_id = %s",
            [(texts[0], pk) for pk, texts in vectors_of.items()],
        )
        cursor.executemany(
            "INSERT INTO tracing_searchpart (trace_id, words) VALUES (%s, %s::tsvector)",
            [(pk, text) for pk, texts in vectors_of.items() for text in texts[1:]],
        )


def vectors(text: str) -> Iterator[str]:
    """The tsvectors of a text as PostgreSQL reads them, at least one."""
    tokens_ = list(tokens(text))
    for start in range(0, max(1, len(tokens_)), _PART):
        yield _vector(tokens_[start : start + _PART + _OVERLAP])


def _vector(tokens_: list[Token]) -> str:
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for position, token in enumerate(tokens_, 1):
        positions[token.text].append(str(position))
    for place, pair in pairs(tokens_):
        positions[pair].append(str(place + 1))
    return " ".join(f"'{text}':{','.join(at[:MAX_POSITIONS])}" for text, at in positions.items())
