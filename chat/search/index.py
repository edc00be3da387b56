"""The table `chat_words`: the words of each text by its key, with its owner and conversation.

On SQLite FTS5 has `words` and `pairs` (`tracing.search.index`), and a column `scope` with a word
for the owner and one for the conversation: so a search reads only what is the user's, also for a
word that all texts have. On PostgreSQL owner and conversation are columns, and a long text is
several rows.
"""

from collections.abc import Collection, Mapping

from django.db import connection

from chat.search.texts import SearchedText
from db.fields import storable
from tracing.search.index import columns, vectors

Row = tuple[int | str, ...]

_COLUMNS = {
    "sqlite": "rowid, words, pairs, scope",
    "postgresql": "key, part, owner_id, conversation_id, words",
}


def rows_of(texts: Mapping[int, SearchedText]) -> list[Row]:
    """The rows of texts by key; to be made before the transaction that writes them."""
    one = _vectors if connection.vendor == "postgresql" else _words
    return [row for key, text in texts.items() for row in one(key, text)]


def replace(keys: Collection[int], rows: Collection[Row]) -> None:
    """Writes these rows in place of those with these keys. Belongs into a transaction."""
    vendor = "postgresql" if connection.vendor == "postgresql" else "sqlite"
    key = _COLUMNS[vendor].partition(",")[0]
    places = ", ".join(["%s"] * len(_COLUMNS[vendor].split(", ")))
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM chat_words WHERE {key} = %s", [(one,) for one in keys])
        if rows:
            cursor.executemany(
                f"INSERT INTO chat_words ({_COLUMNS[vendor]}) VALUES ({places})", list(rows)
            )


def scope_of(owner: int, conversation: int) -> str:
    """The column `scope` on SQLite."""
    return f"u{owner} c{conversation}"


def _words(key: int, text: SearchedText) -> list[Row]:
    words, pairs = columns(storable(text.text))
    return [(key, words, pairs, scope_of(text.owner, text.conversation))]


def _vectors(key: int, text: SearchedText) -> list[Row]:
    return [
        (key, part, text.owner, text.conversation, words)
        for part, words in enumerate(vectors(storable(text.text)))
    ]
