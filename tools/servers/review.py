"""Approval of tools that are new or have changed: what is different, in words and lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from limits.tools import MAX_REVIEWED_WORDS
from tools.models import Server, ServerTool
from tracing.formatting.json_text import indented

__all__ = ["DiffSegment", "Difference", "approve_all", "approve_one", "difference", "waiting"]


@dataclass(frozen=True)
class DiffSegment:
    """A part of a text; `kind` is `same`, `gone` or `new`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Difference:
    """The changes of a tool; empty parts are unchanged."""

    is_new: bool
    description: Sequence[DiffSegment] = ()
    input_schema: Sequence[DiffSegment] = ()
    output_schema: Sequence[DiffSegment] = ()


def difference(tool: ServerTool) -> Difference:
    """The changes since the tool was approved: its description by words, its schemas by lines."""
    before = tool.approved
    if not before:
        return Difference(is_new=True)
    return Difference(
        is_new=False,
        description=_of_words(before.get("description") or "", tool.description),
        input_schema=_of_lines(before.get("input_schema"), tool.input_schema),
        output_schema=_of_lines(before.get("output_schema"), tool.output_schema),
    )


def waiting(server: Server) -> list[ServerTool]:
    """The tools of a server that have to be reviewed before they are offered."""
    return [tool for tool in server.tools.all() if tool.needs_review]


def approve_one(tool: ServerTool, seen_hash: str) -> bool:
    """Approves the tool as it was shown; False if it has changed again since."""
    if tool.hash != seen_hash:
        return False
    tool.approve()
    return True


def approve_all(server: Server, seen_hashes: set[str]) -> int:
    """Approves what was shown, and leaves what has changed since; answers how many it approved."""
    shown = [tool for tool in waiting(server) if tool.hash in seen_hashes]
    for tool in shown:
        tool.approve()
    return len(shown)


def _of_words(before: str, after: str) -> list[DiffSegment]:
    return [] if before == after else _segments(_words(before), _words(after), "")


def _of_lines(before: Any, after: Any) -> list[DiffSegment]:
    if before == after:
        return []
    return _segments(_lines(before), _lines(after), "\n")


def _words(text: str) -> list[str]:
    """Words with the white space after them; single characters of scripts without spaces."""
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W]+\s*|\W\s*", text)


def _lines(schema: Any) -> list[str]:
    if schema is None:
        return []
    return indented(schema).splitlines()


def _segments(before: Sequence[str], after: Sequence[str], between: str) -> list[DiffSegment]:
    """Neighbouring words of one kind are joined into a segment; each line is a segment."""
    if max(len(before), len(after)) > MAX_REVIEWED_WORDS:
        whole = [("gone", before), ("new", after)]
        return [DiffSegment(kind, between.join(part)) for kind, part in whole if part]
    segments: list[DiffSegment] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for change, low, high, start, end in matcher.get_opcodes():
        if change == "equal":
            segments += _put("same", after[start:end], between)
        else:
            segments += _put("gone", before[low:high], between)
            segments += _put("new", after[start:end], between)
    return segments


def _put(kind: str, parts: Sequence[str], between: str) -> list[DiffSegment]:
    if between:
        return [DiffSegment(kind, part) for part in parts]
    return [DiffSegment(kind, "".join(parts))] if parts else []
