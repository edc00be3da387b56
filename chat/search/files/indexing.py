"""Cuts the files that the database has noted into passages, and stores their words.

The `tools` worker does it every two seconds; a call of `search_files` does it for the files that it
searches. One thread of a process at a time. A long file is written in several transactions, so that
none holds the write lock for long; its note is deleted in the last one.
"""

import logging
import threading
import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from chat.models import (
    Attachment,
    Conversation,
    Passage,
    ProjectFile,
    SearchedFile,
    UnindexedFile,
)
from chat.search.files import index
from chat.search.files.passages import PassageText, passages
from limits.search import MAX_FILE_PASSAGES, MAX_INDEXED_PASSAGES, MAX_INDEXING_TEXTS_S

logger = logging.getLogger(__name__)

_lock = threading.Lock()


class _Source(NamedTuple):
    """A file: the row that it is, its owner, its text, and the conversation of its message."""

    attachment: int | None
    project_file: int | None
    owner: int
    content: bytes
    conversation: int | None


def index_noted_files(seconds: float = MAX_INDEXING_TEXTS_S) -> int:
    """Indexes files that are noted, the latest first, and begins none after `seconds`."""
    until = time.monotonic() + seconds
    count = 0
    with _lock:
        while (note := UnindexedFile.objects.order_by("-id").first()) is not None:
            _index(note.key)
            count += 1
            if time.monotonic() >= until:
                break
    return count


def index_files(attachments: Collection[int], project_files: Collection[int]) -> None:
    """Indexes those of these files that are noted."""
    keys = [*attachments, *(-pk for pk in project_files)]
    with _lock:
        noted = UnindexedFile.objects.filter(key__in=keys)
        for key in sorted(set(noted.values_list("key", flat=True))):
            _index(key)


def _index(key: int) -> None:
    """Indexes a file. One that is deleted meanwhile keeps its note: the next run forgets it."""
    try:
        _index_or_forget(key)
    except IntegrityError:
        logger.debug("File %d was deleted while it was indexed", key)


def _index_or_forget(key: int) -> None:
    notes = list(UnindexedFile.objects.filter(key=key).values_list("pk", flat=True))
    source = _read(key)
    if source is not None:
        text = source.content.decode(errors="replace")
        cut = list(passages(text))[:MAX_FILE_PASSAGES]
        words = [index.words_of(f"{one.heading}\n{one.text}") for one in cut]
        file = _begin(source)
        for first in range(0, len(cut), MAX_INDEXED_PASSAGES):
            last = first + MAX_INDEXED_PASSAGES
            _write(file, first, cut[first:last], words[first:last])
        SearchedFile.objects.filter(pk=file.pk).update(passages_count=len(cut))
        if source.conversation is not None:
            rows = Conversation.objects.filter(pk=source.conversation, has_files=False)
            rows.update(has_files=True)
    else:
        _forget(key)
    UnindexedFile.objects.filter(pk__in=notes).delete()


def _read(key: int) -> _Source | None:
    if key > 0:
        rows = Attachment.objects.filter(pk=key, media_type="text/plain")
        row = rows.values_list("pk", "owner_id", "content", "message__conversation_id").first()
        return _Source(row[0], None, row[1], bytes(row[2]), row[3]) if row else None
    files = ProjectFile.objects.filter(pk=-key, media_type="text/plain")
    file = files.values_list("pk", "project__owner_id", "content").first()
    return _Source(None, file[0], file[1], bytes(file[2]), None) if file else None


def _forget(key: int) -> None:
    """Deletes the passages of a file in whose place there is no text any more."""
    of_it = {"attachment": key} if key > 0 else {"project_file": -key}
    SearchedFile.objects.filter(**of_it).delete()


def _begin(source: _Source) -> SearchedFile:
    """The file's row, without passages."""
    of = {"attachment_id": source.attachment, "project_file_id": source.project_file}
    file, is_new = SearchedFile.objects.get_or_create(**of, defaults={"owner_id": source.owner})
    if not is_new:
        Passage.objects.filter(file=file).delete()
    return file


def _write(
    file: SearchedFile, first: int, cut: Sequence[PassageText], words: Sequence[tuple[str, ...]]
) -> None:
    with transaction.atomic():
        rows = Passage.objects.bulk_create(
            Passage(
                file=file,
                number=number,
                page=one.page,
                line=one.line,
                heading=one.heading,
                text=one.text,
            )
            for number, one in enumerate(cut, first + 1)
        )
        index.write(
            [(row.pk, one) for row, one in zip(rows, words, strict=True)], file.owner_id, file.pk
        )
