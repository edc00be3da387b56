"""The difference of two texts as one text with removed and added parts.

Lines are compared first, then the words of changed lines; a Chinese character is a word. The time
is bounded for texts of any length: parts that differ too much are removed and added as a whole.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from limits.trace_pages import (
    MAX_CHANGED_LINES,
    MAX_CHANGED_WORDS,
    MAX_COMPARED_TEXT,
    MAX_SHOWN_CHANGE,
)
from tracing.diff.myers import Hunk, hunks
from tracing.formatting.text import visible

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W{_CJK}]+|\s+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Characters of unchanged text that are shown on each side of a change.
_CONTEXT = 120
# Share of the shorter text; with less in common the two are different texts.
_MIN_COMMON = 0.2


@dataclass(frozen=True)
class TextChange:
    """A part of both texts (`same`), of the earlier (`removed`) or the later one (`added`).

    `hidden`: count of characters after `text` that are left out.
    """

    change: str
    text: str
    hidden: int = 0


def diff_texts(before: str, after: str) -> list[TextChange] | None:
    """The changes in reading order; None if the two have too little in common."""
    parts = list(_merge(_changes(before, after)))
    same = sum(len(text) for change, text in parts if change == "same")
    if same < _MIN_COMMON * min(len(before), len(after)):
        return None
    return list(_abbreviate(parts))


def abbreviation(change: str, text: str) -> TextChange:
    """The beginning of an added or removed text."""
    return TextChange(
        change, visible(text[:MAX_SHOWN_CHANGE]), max(0, len(text) - MAX_SHOWN_CHANGE)
    )


# `same`, `removed` or `added`, and the text.
_Part = tuple[str, str]


def _changes(before: str, after: str) -> Iterator[_Part]:
    old, new = _LINE.findall(before), _LINE.findall(after)
    for hunk in hunks(old, new, MAX_CHANGED_LINES):
        removed, added = (
            "".join(old[hunk.old : hunk.old_end]),
            "".join(new[hunk.new : hunk.new_end]),
        )
        if hunk.same:
            yield "same", added
        elif removed and added and max(len(removed), len(added)) <= MAX_COMPARED_TEXT:
            yield from _word_changes(removed, added)
        else:
            yield from (("removed", removed), ("added", added))


def _word_changes(before: str, after: str) -> Iterator[_Part]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    for hunk in _without_islands(hunks(old, new, MAX_CHANGED_WORDS), old):
        if hunk.same:
            yield "same", "".join(new[hunk.new : hunk.new_end])
        else:
            yield "removed", "".join(old[hunk.old : hunk.old_end])
            yield "added", "".join(new[hunk.new : hunk.new_end])


def _without_islands(hunks_: Sequence[Hunk], old: Sequence[str]) -> Iterator[Hunk]:
    """Merges two changes that only unchanged spaces or signs of one line separate."""
    merged: list[Hunk] = []
    for place, hunk in enumerate(hunks_):
        is_inside = 0 < place < len(hunks_) - 1
        is_island = hunk.same and is_inside and not any(map(str.isalnum, _text(hunk, old)))
        last = merged[-1] if merged else None
        if last and not last.same and (is_island or not hunk.same):
            merged[-1] = Hunk(False, last.old, hunk.old_end, last.new, hunk.new_end)
        else:
            merged.append(hunk)
    yield from merged


def _text(hunk: Hunk, old: Sequence[str]) -> str:
    text = "".join(old[hunk.old : hunk.old_end])
    return "x" if "\n" in text else text


def _merge(changes: Iterator[_Part]) -> Iterator[_Part]:
    """Neighbours of one kind as one, removed text before added text."""
    texts = {"same": "", "removed": "", "added": ""}
    for change, text in changes:
        if change == "same" and (texts["removed"] or texts["added"]):
            yield from _flush(texts, ("same", "removed", "added"))
        elif change != "same" and texts["same"]:
            yield from _flush(texts, ("same",))
        texts[change] += text
    yield from _flush(texts, ("same", "removed", "added"))


def _flush(texts: dict[str, str], names: tuple[str, ...]) -> Iterator[_Part]:
    for name in names:
        if texts[name]:
            yield name, texts[name]
            texts[name] = ""


def _abbreviate(parts: Sequence[_Part]) -> Iterator[TextChange]:
    for place, (change, text) in enumerate(parts):
        if change != "same":
            yield abbreviation(change, text)
            continue
        head = "" if place == 0 else text[:_CONTEXT]
        tail = "" if place == len(parts) - 1 else text[-_CONTEXT:]
        hidden = len(text) - len(head) - len(tail)
        if hidden <= _CONTEXT:
            yield TextChange(change, visible(text))
        else:
            yield TextChange(change, visible(head), hidden)
            yield TextChange(change, visible(tail))
