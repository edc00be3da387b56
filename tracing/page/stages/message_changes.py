"""Messages that changed since the baseline: which became which, and their differences.

A message with a counterpart of the same role at the same place is *mutated*: both versions are
shown as one. It is *compacted* if a compaction was recorded between the two lists and a placeholder
replaced a result, or a summary replaced messages. Without a record, a much shorter message counts
as a compaction if the following messages are unchanged.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from limits.trace_pages import MAX_CHANGED_MESSAGES, MAX_COMPARED_MESSAGE_BYTES
from tracing.diff import text_diff
from tracing.diff.myers import hunks
from tracing.page.stages.messages import MessageView, Revision, read_message_view, sections

# The layer that replaces results with a line, and the one that cuts texts; others write summaries.
MICRO = "micro"
CAP = "cap"
# A message of at least this many bytes that shrank by this factor counts as compacted.
_MIN_COMPACTED_BYTES = 400
_COMPACTION_FACTOR = 4


@dataclass(frozen=True)
class Element:
    """An element of a list: its position from 1, and its JSON."""

    position: int
    content: bytes


@dataclass(frozen=True)
class CompactedMessages:
    """The messages that a compacted message replaces."""

    entries: list[MessageView]


def read_changed(
    removed: Sequence[Element],
    added: Sequence[Element],
    role: str,
    is_followed: bool,
    recorded: Collection[str] = (),
) -> Iterator[MessageView | CompactedMessages]:
    """Views of a section of a list, `removed` of the baseline and `added` since.

    `is_followed`: unchanged messages follow it. `recorded` are the layers of the compactions
    between the two lists.
    """
    if _is_summary(removed, added, is_followed, recorded):
        entry = _read(added[0], "compacted", role)
        if not (entry.calls or entry.answers):
            yield replace(entry, stands_for=len(removed), was=_size(removed))
            yield CompactedMessages([_read(element, "removed", role) for element in removed])
            yield from (_read(element, "added", role) for element in added[1:])
            return
    keys = [_key(element) for element in removed], [_key(element) for element in added]
    for hunk in hunks(*keys, MAX_CHANGED_MESSAGES):
        before, after = removed[hunk.old : hunk.old_end], added[hunk.new : hunk.new_end]
        if hunk.same:
            for old, new in zip(before, after, strict=True):
                yield from _pair(old, new, role, recorded)
        else:
            yield from (_read(element, "removed", role) for element in before)
            yield from (_read(element, "added", role) for element in after)


def _is_summary(
    removed: Sequence[Element],
    added: Sequence[Element],
    is_followed: bool,
    recorded: Collection[str],
) -> bool:
    """Whether the first of `added` is a summary of all of `removed`."""
    if not recorded:
        return is_followed and len(removed) > 1 and len(added) == 1
    is_first = bool(added) and _message(added[0].content).get("role") == "user"
    return is_first and bool(removed) and not {MICRO, CAP}.issuperset(recorded)


def _pair(
    old: Element, new: Element, role: str, recorded: Collection[str]
) -> Iterator[MessageView | CompactedMessages]:
    if _is_compacted(old.content, new.content, recorded):
        entry = _read(new, "compacted", role)
        yield replace(entry, was=len(old.content))
        yield CompactedMessages([_read(old, "removed", role)])
        return
    revisions = _revisions(old.content, new.content)
    if revisions:
        entry = _read(new, "mutated", role)
        yield replace(entry, revisions=revisions, was=len(old.content))
    else:
        yield _read(old, "removed", role)
        yield _read(new, "added", role)


def _revisions(old: bytes, new: bytes) -> list[Revision]:
    """The changes by part of the message; none if no part could be compared."""
    if max(len(old), len(new)) > MAX_COMPARED_MESSAGE_BYTES:
        return []
    before, after = sections(old), sections(new)
    compared = {
        name: text_diff.diff_texts(before[name], after[name]) for name in before if name in after
    }
    if not any(changes is not None for changes in compared.values()):
        return []
    return [
        Revision(name, compared.get(name) or _replaced(before.get(name, ""), after.get(name, "")))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    ]


def _replaced(was: str, now: str) -> list[text_diff.TextChange]:
    return [*_whole(was, "removed"), *_whole(now, "added")]


def _whole(text: str, change: str) -> Iterator[text_diff.TextChange]:
    if text:
        yield text_diff.abbreviation(change, text)


def _is_compacted(old: bytes, new: bytes, recorded: Collection[str]) -> bool:
    """Whether a short text replaced a long message."""
    if recorded:
        is_result = _message(new).get("role") == "tool"
        return MICRO in recorded and is_result and len(new) < len(old)
    is_shorter = len(old) >= _MIN_COMPACTED_BYTES and len(new) * _COMPACTION_FACTOR <= len(old)
    return is_shorter and _message(new).get("role") != "system"


def _key(element: Element) -> tuple[str, str]:
    message = _message(element.content)
    return str(message.get("role")), str(message.get("tool_call_id") or "")


def _message(content: bytes) -> dict[str, Any]:
    try:
        message = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _read(element: Element, change: str, role: str) -> MessageView:
    return read_message_view(element.content, 0 if role else element.position, change, role)


def _size(elements: Sequence[Element]) -> int:
    return sum(len(element.content) for element in elements)
