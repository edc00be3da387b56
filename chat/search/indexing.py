"""Indexes the texts that the database has noted (`chat.search.triggers`).

The `tools` worker does it every two seconds, so that no message waits for it, and no process of
`turns` spends time on it while it streams. A note is deleted in the transaction that indexes its
text: whatever process ends, the text is indexed once more or was indexed. Titles come first, then
the latest messages; so a search soon finds what people look for while the texts of an older
version, or of an import, are indexed.
"""

import time
from collections.abc import Collection

from django.db import transaction

from chat.models import Conversation, Message, UnindexedText
from chat.search import index, texts
from chat.search.texts import SearchedText
from limits.search import (
    MAX_COUNTED_UNINDEXED,
    MAX_INDEXED_CHARACTERS,
    MAX_INDEXED_TEXTS,
    MAX_INDEXING_TEXTS_S,
)


def index_noted(seconds: float = MAX_INDEXING_TEXTS_S) -> int:
    """Indexes what is noted, and begins no transaction after `seconds`; the count of texts."""
    until = time.monotonic() + seconds
    total = 0
    while count := index_some():
        total += count
        if time.monotonic() >= until:
            break
    return total


def index_some() -> int:
    """Indexes up to `MAX_INDEXED_TEXTS` texts in one transaction; the count of their notes."""
    notes = _notes()
    if not notes:
        return 0
    read = texts.read(set(notes.values()))
    taken = _first(notes, read)
    keys = {notes[note] for note in taken}
    # The words are made before the transaction, which on SQLite holds the one write lock.
    rows = index.rows_of({key: read[key] for key in keys if key in read})
    with transaction.atomic():
        alive = _locked(keys)
        index.replace(keys, [row for row in rows if row[0] in alive])
        UnindexedText.objects.filter(pk__in=taken).delete()
    return len(taken)


def count_unindexed() -> int:
    """How many texts the index lacks, at most `MAX_COUNTED_UNINDEXED` + 1."""
    return UnindexedText.objects.all()[: MAX_COUNTED_UNINDEXED + 1].count()


def _notes() -> dict[int, int]:
    """Primary key and text's key of some notes: of titles, or else of the latest messages."""
    titles = UnindexedText.objects.filter(key__lt=0).order_by("key")
    messages = UnindexedText.objects.filter(key__gt=0).order_by("-key")
    for notes in (titles, messages):
        rows = dict(notes.values_list("pk", "key")[:MAX_INDEXED_TEXTS])
        if rows:
            return rows
    return {}


def _first(notes: dict[int, int], read: dict[int, SearchedText]) -> list[int]:
    """The notes up to the one whose text goes beyond `MAX_INDEXED_CHARACTERS`."""
    taken: list[int] = []
    length = 0
    for note, key in notes.items():
        if length > MAX_INDEXED_CHARACTERS:
            break
        taken.append(note)
        length += len(read[key].text) if key in read else 0
    return taken


def _locked(keys: Collection[int]) -> set[int]:
    """The keys whose rows are there, and stay until the end of the transaction."""
    messages = Message.objects.filter(pk__in=[key for key in keys if key > 0])
    titles = Conversation.objects.filter(pk__in=[-key for key in keys if key < 0])
    return {
        *messages.select_for_update(no_key=True).values_list("pk", flat=True),
        *(-pk for pk in titles.select_for_update(no_key=True).values_list("pk", flat=True)),
    }
