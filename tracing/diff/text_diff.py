"""Two versions of a text as one, with what was taken out and what was put in marked.

Lines are compared first, then the words of those that changed; a Chinese character is a word. The
time is bounded for texts of any length: what differs too much is shown as taken out and put in.
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
# What is unchanged is shown so far around a change, and what changed to this length.
_BESIDE = 120
# Less in common than this, and the two are different texts.
_LEAST_ALIKE = 0.2


@dataclass(frozen=True)
class Change:
    """A stretch of both versions (`same`), of the earlier (`removed`) or the later one (`added`).

    `hidden` counts characters that are left out behind the text.
    """

    change: str
    text: str
    hidden: int = 0


def compare(before: str, after: str) -> list[Change] | None:
    """The changes in reading order; None if the two have too little in common."""
    raw = list(_joined(_changes(before, after)))
    same = sum(len(text) for change, text in raw if change == "same")
    if same < _LEAST_ALIKE * min(len(before), len(after)):
        return None
    return list(_shown(raw))


def shortened(change: str, text: str) -> Change:
    """The beginning of a text that was put in or taken out."""
    return Change(change, visible(text[:MAX_SHOWN_CHANGE]), max(0, len(text) - MAX_SHOWN_CHANGE))


_Raw = tuple[str, str]


def _changes(before: str, after: str) -> Iterator[_Raw]:
    old, new = _LINE.findall(before), _LINE.findall(after)
    for hunk in hunks(old, new, MAX_CHANGED_LINES):
        was, now = "".join(old[hunk.old : hunk.old_end]), "".join(new[hunk.new : hunk.new_end])
        if hunk.same:
            yield "same", now
        elif was and now and max(len(was), len(now)) <= MAX_COMPARED_TEXT:
            yield from _by_word(was, now)
        else:
            yield from (("removed", was), ("added", now))


def _by_word(before: str, after: str) -> Iterator[_Raw]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    for hunk in _without_crumbs(hunks(old, new, MAX_CHANGED_WORDS), old):
        if hunk.same:
            yield "same", "".join(new[hunk.new : hunk.new_end])
        else:
            yield "removed", "".join(old[hunk.old : hunk.old_end])
            yield "added", "".join(new[hunk.new : hunk.new_end])


def _without_crumbs(found: Sequence[Hunk], old: Sequence[str]) -> Iterator[Hunk]:
    """A space or a sign that stayed between two changes belongs to them."""
    kept: list[Hunk] = []
    for place, hunk in enumerate(found):
        is_inside = 0 < place < len(found) - 1
        is_crumb = hunk.same and is_inside and not any(map(str.isalnum, _text(hunk, old)))
        last = kept[-1] if kept else None
        if last and not last.same and (is_crumb or not hunk.same):
            kept[-1] = Hunk(False, last.old, hunk.old_end, last.new, hunk.new_end)
        else:
            kept.append(hunk)
    yield from kept


def _text(hunk: Hunk, old: Sequence[str]) -> str:
    text = "".join(old[hunk.old : hunk.old_end])
    return "x" if "\n" in text else text


def _joined(changes: Iterator[_Raw]) -> Iterator[_Raw]:
    """Neighbours of one kind as one; what was taken out stands before what was put in."""
    texts = {"same": "", "removed": "", "added": ""}
    for change, text in changes:
        if change == "same" and (texts["removed"] or texts["added"]):
            yield from _taken(texts, ("same", "removed", "added"))
        elif change != "same" and texts["same"]:
            yield from _taken(texts, ("same",))
        texts[change] += text
    yield from _taken(texts, ("same", "removed", "added"))


def _taken(texts: dict[str, str], names: tuple[str, ...]) -> Iterator[_Raw]:
    for name in names:
        if texts[name]:
            yield name, texts[name]
            texts[name] = ""


def _shown(changes: Sequence[_Raw]) -> Iterator[Change]:
    for place, (change, text) in enumerate(changes):
        if change != "same":
            yield shortened(change, text)
            continue
        head = "" if place == 0 else text[:_BESIDE]
        tail = "" if place == len(changes) - 1 else text[-_BESIDE:]
        hidden = len(text) - len(head) - len(tail)
        if hidden <= _BESIDE:
            yield Change(change, visible(text))
        else:
            yield Change(change, visible(head), hidden)
            yield Change(change, visible(tail))
