"""Classifies the messages of a request: system prompt, question, history, tool result, image.

Elements are immutable and ordinals are not reused, so results are cached in memory: the next round
of a long turn reads only its new messages.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import TextChoices

from languages.later import later
from limits.traces import MAX_KNOWN_MESSAGE_KINDS
from tracing.models import Archive, Blob
from tracing.store import bases

_BATCH = 5_000
_ROLE = re.compile(rb'"role"\s*:\s*"(\w{1,20})"')
_RESULT = re.compile(rb'"type"\s*:\s*"(?:tool_result|function_call_output)"|<tool_response>')
_IMAGE = re.compile(rb'"type"\s*:\s*"(?:image|image_url|input_image)"')


class Part(TextChoices):
    """Parts of a request, in the order of the page."""

    SYSTEM = "system", later("system prompt")
    TOOLS = "tools", later("tool definitions")
    HISTORY = "history", later("history")
    RESULTS = "results", later("tool results")
    QUESTION = "question", later("the question")
    IMAGES = "images", later("images")
    OTHER = "other", later("parameters and punctuation")


@dataclass(frozen=True)
class Note:
    """The part of a message; `is_cut`: a result that was shortened for the model."""

    part: Part
    is_cut: bool = False


_cache: dict[tuple[UUID, int], Note] = {}
# Of a deleted element: most are tool results.
_UNREAD = Note(Part.RESULTS)


def notes_of(archive: Archive, ordinals: Collection[int]) -> dict[int, Note]:
    """A note for each of the ordinals."""
    name = archive.public_id
    unknown = sorted(ordinal for ordinal in ordinals if (name, ordinal) not in _cache)
    if len(_cache) + len(unknown) > MAX_KNOWN_MESSAGE_KINDS:
        _cache.clear()
        unknown = sorted(ordinals)
    kinds = dict(_read(archive.pk, unknown))
    _cache.update({(name, ordinal): note for ordinal, note in kinds.items()})
    return {
        ordinal: kinds.get(ordinal) or _cache.get((name, ordinal), _UNREAD) for ordinal in ordinals
    }


def _read(archive: int, ordinals: list[int]) -> Iterator[tuple[int, Note]]:
    for start in range(0, len(ordinals), _BATCH):
        rows = Blob.objects.filter(archive_id=archive, ordinal__in=ordinals[start : start + _BATCH])
        for stored in bases.read(rows.with_bases()):
            yield stored.ordinal, note_of(_head(stored))


def _head(stored: bases.Stored) -> bytes:
    """The beginning of a message, which has the type of an image."""
    try:
        return next(stored.stream(), b"")
    except ValueError:
        return b""  # damaged: the stage says so


def note_of(content: bytes) -> Note:
    """The note of a message, given its bytes or their beginning."""
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
