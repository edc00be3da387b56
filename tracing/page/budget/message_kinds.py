"""What the messages of a request are: asked, answered, told by a tool, pictures.

An element never changes, and its ordinal is never given to another: what was found once is kept in
memory, so that the next round of a long turn reads its few new messages only.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import TextChoices

from limits.traces import MAX_KNOWN_MESSAGE_KINDS
from tracing.models import Archive, Blob
from tracing.store import compression

_AT_ONCE = 5_000
_ROLE = re.compile(rb'"role"\s*:\s*"(\w{1,20})"')
_RESULT = re.compile(rb'"type"\s*:\s*"(?:tool_result|function_call_output)"|<tool_response>')
_IMAGE = re.compile(rb'"type"\s*:\s*"(?:image|image_url|input_image)"')


class Part(TextChoices):
    """In the order in which they are told."""

    SYSTEM = "system", "system prompt"
    TOOLS = "tools", "tool definitions"
    HISTORY = "history", "history"
    RESULTS = "results", "tool results"
    QUESTION = "question", "the question"
    IMAGES = "images", "images"
    OTHER = "other", "parameters and punctuation"


@dataclass(frozen=True)
class Note:
    """`is_cut`: the model is not shown all of this result."""

    part: Part
    is_cut: bool = False


_kept: dict[tuple[UUID, int], Note] = {}
# What is not there any more was mostly what a tool told.
_UNREAD = Note(Part.RESULTS)


def notes_of(archive: Archive, ordinals: Collection[int]) -> dict[int, Note]:
    """A note for each of the ordinals."""
    name = archive.public_id
    unknown = sorted(ordinal for ordinal in ordinals if (name, ordinal) not in _kept)
    if len(_kept) + len(unknown) > MAX_KNOWN_MESSAGE_KINDS:
        _kept.clear()
        unknown = sorted(ordinals)
    kinds = dict(_read(archive.pk, unknown))
    _kept.update({(name, ordinal): note for ordinal, note in kinds.items()})
    return {
        ordinal: kinds.get(ordinal) or _kept.get((name, ordinal), _UNREAD) for ordinal in ordinals
    }


def _read(archive: int, ordinals: list[int]) -> Iterator[tuple[int, Note]]:
    for start in range(0, len(ordinals), _AT_ONCE):
        rows = Blob.objects.filter(
            archive_id=archive, ordinal__in=ordinals[start : start + _AT_ONCE]
        )
        for ordinal, packed in rows.values_list("ordinal", "compressed"):
            yield ordinal, note_of(_head(bytes(packed)))


def _head(packed: bytes) -> bytes:
    """The first piece of it: of a long message its beginning, where a picture's kind stands."""
    try:
        return next(compression.unpack_stream(packed), b"")
    except ValueError:
        return b""  # damaged: the stage says so


def note_of(content: bytes) -> Note:
    """Of the bytes of a message, or its beginning."""
    part = _part(content)
    return Note(part, part == Part.RESULTS and _is_cut(content))


def _part(content: bytes) -> Part:
    match = _ROLE.search(content)
    role = match[1].decode() if match else ""
    if role in ("system", "developer"):
        return Part.SYSTEM
    if role in ("tool", "function") or _RESULT.search(content):
        return Part.RESULTS
    if _IMAGE.search(content):
        return Part.IMAGES
    return Part.QUESTION if role == "user" else Part.HISTORY


def _is_cut(content: bytes) -> bool:
    if b'"is_cut"' not in content:
        return False
    try:
        message = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("is_cut") is True
