"""The words of traces in the database's own index: FTS5 on SQLite, a tsvector on PostgreSQL.

Both get the same tokens, already cut and folded. FTS5 puts no two words at one place, so pairs have
a column of their own; a tsvector has words and pairs together, a pair where its first character is.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from django.db import connection, transaction

from tracing import compression
from tracing.fields import storable
from tracing.models import SearchText
from tracing.search.tokens import Token, pairs, tokens

# Between the pairs of two runs, so that no phrase goes across.
_BREAK = "0"
# What a tsvector holds: positions, and how many of them for a word.
_LAST_POSITION = 16_383
_MOST_POSITIONS = 256


def write(texts: Mapping[int, str]) -> None:
    """Makes these texts what is searched of these traces, by primary key."""
    kept = {pk: storable(text) for pk, text in texts.items()}
    with transaction.atomic():
        if connection.vendor == "postgresql":
            _write_postgresql(kept)
        else:
            _write_sqlite(kept)


def read(trace_ids: list[int]) -> dict[int, str]:
    """What was written of these traces."""
    rows = SearchText.objects.filter(pk__in=trace_ids).values_list("pk", "text")
    return {pk: compression.unpack(bytes(packed)).decode() for pk, packed in rows}


def _write_sqlite(texts: Mapping[int, str]) -> None:
    rows = [SearchText(trace_id=pk, text=_packed(text)) for pk, text in texts.items()]
    SearchText.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["trace"], update_fields=["text"]
    )
    with connection.cursor() as cursor:
        cursor.executemany("DELETE FROM tracing_words WHERE rowid = %s", [(pk,) for pk in texts])
        cursor.executemany(
            "INSERT INTO tracing_words (rowid, words, pairs) VALUES (%s, %s, %s)",
            [(pk, *_columns(text)) for pk, text in texts.items()],
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


def _write_postgresql(texts: Mapping[int, str]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO tracing_searchtext (trace_id, text, words) VALUES (%s, %s, %s::tsvector)"
            " ON CONFLICT (trace_id) DO UPDATE SET text = excluded.text, words = excluded.words",
            [(pk, _packed(text), vector(text)) for pk, text in texts.items()],
        )


def vector(text: str) -> str:
    """The text of a tsvector."""
    found = list(tokens(text))
    places: defaultdict[str, list[str]] = defaultdict(list)
    for place, token in enumerate(found[:_LAST_POSITION], 1):
        places[token.text].append(str(place))
    for place, pair in pairs(found[:_LAST_POSITION]):
        places[pair].append(str(place + 1))
    return " ".join(f"'{text}':{','.join(at[:_MOST_POSITIONS])}" for text, at in places.items())


def _packed(text: str) -> bytes:
    return compression.pack(text.encode())
