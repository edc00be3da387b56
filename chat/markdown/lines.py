"""Where the top-level blocks of a Markdown text end, line by line and without looking back.

Ends are found at blank lines, after closing fences and before the next item of a list; a list and
indented code need the line after a blank one to be sure. Where the truth would cost a parse (a
paragraph right after a heading, say), two blocks stay together.
Sections are those of CommonMark 0.31.2.
"""

import re
from dataclasses import dataclass, field
from enum import Enum

from chat.markdown.math import block_closer
from limits.files import MAX_FORMULA

_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"([-+*]|(\d{1,9})[.)])(?=([ \t]+)|$)")
_BREAK = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
# The row under the head of a table.
_DELIMITERS = re.compile(r"[|:][-|: \t]*$|-+[ \t]*\|[-|: \t]*$")
# What ends a list without a blank line, when it is indented less than the list's content.
_CLOSER = re.compile(r"#{1,6}([ \t]|$)|>")
_TAB = 4


class Cut(Enum):
    """Where a block ends, seen from the line just read."""

    NONE = 0
    BEFORE = 1
    # As BEFORE, and the line is the next item of the same list.
    BEFORE_ITEM = 2
    AFTER = 3


@dataclass
class _Fence:
    mark: str
    length: int


@dataclass
class _Item:
    """The list item at the top level: its kind of marker, the column where its content begins,
    and whether it is one at all, for all that is known.
    """

    kind: str
    content: int
    certain: bool


@dataclass
class _Formula:
    """A formula of several lines, if one of them ends with `closer` before a blank one: else they
    are what they would be without it."""

    closer: str
    lines: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.length += len(line) + 1


class LineScanner:
    """Reads complete lines (without their ends) and says where blocks end."""

    def __init__(self) -> None:
        self._knows_formulas = True
        self._begin()

    def _begin(self) -> None:
        self._fence: _Fence | None = None
        self._formula: _Formula | None = None
        self._item: _Item | None = None
        self._empty = True
        self._after_blank = False
        self._indented = False
        self._paragraph = False
        self._unsure = False

    def read(self, line: str) -> Cut:
        stripped = line.strip(" \t")
        if self._formula is not None:
            return self._in_formula(self._formula, line, stripped)
        if self._fence is not None:
            return self._in_fence(line, stripped)
        if not stripped:
            return self._blank()
        indent = _columns(line)
        cut = self._cut_before(indent, stripped)
        if cut is not Cut.NONE:
            self._begin()
        self._note(indent, stripped)
        return cut

    def _in_fence(self, line: str, stripped: str) -> Cut:
        assert self._fence is not None
        if _columns(line) >= _TAB or len(stripped) < self._fence.length:
            return Cut.NONE
        if stripped.strip(self._fence.mark):
            return Cut.NONE
        self._begin()
        return Cut.AFTER

    def _in_formula(self, formula: _Formula, line: str, stripped: str) -> Cut:
        formula.add(line)
        if stripped.endswith(formula.closer):
            self._begin()
            return Cut.AFTER
        if stripped and formula.length <= MAX_FORMULA:
            return Cut.NONE
        return self._read_again(formula.lines)

    def _read_again(self, lines: list[str]) -> Cut:
        """Lines that were no formula, once: none among them begins one."""
        self._formula, self._knows_formulas = None, False
        cut = Cut.NONE
        for line in lines:
            cut = self.read(line)
        self._knows_formulas = True
        return cut

    def _blank(self) -> Cut:
        if self._empty:
            return Cut.NONE
        self._paragraph = False
        if self._item is not None or self._indented:
            self._after_blank = True
            return Cut.NONE
        self._begin()
        return Cut.AFTER

    def _cut_before(self, indent: int, stripped: str) -> Cut:
        item = self._item
        if item is None:
            return Cut.BEFORE if self._after_blank and indent < _TAB else Cut.NONE
        if indent >= item.content:
            return Cut.NONE
        kind = _kind(indent, stripped)
        if kind is None:
            return Cut.BEFORE if self._after_blank else Cut.NONE
        if not item.certain:
            return Cut.NONE
        return Cut.BEFORE_ITEM if kind == item.kind else Cut.BEFORE

    def _note(self, indent: int, stripped: str) -> None:
        """What this line opens or leaves, seen from the top level."""
        self._empty = self._after_blank = False
        if self._item is not None and indent >= self._item.content:
            return
        self._indented = indent >= _TAB
        if self._indented:
            return
        closer = block_closer(stripped)
        if closer and self._knows_formulas:
            self._formula = _Formula(closer)
        fence = _FENCE.match(stripped)
        if fence:
            mark = fence[1] or fence[2]
            self._fence, self._item = _Fence(mark[0], len(mark)), None
        elif _BREAK.match(stripped) or _CLOSER.match(stripped):
            self._item, self._paragraph = None, False
            self._unsure = stripped.startswith(">")
        elif (kind := _kind(indent, stripped)) and (
            not self._paragraph or self._interrupts(stripped)
        ):
            certain = not self._unsure or self._interrupts(stripped)
            self._item = _Item(kind, _content_column(indent, stripped), certain)
        else:
            # The line may be a quote's or a table's, and every list interrupts those.
            self._unsure = self._unsure or _DELIMITERS.match(stripped) is not None
            self._paragraph = not self._unsure

    @staticmethod
    def _interrupts(stripped: str) -> bool:
        """Section 5.3: only an item with content, numbered 1 if at all, interrupts a paragraph."""
        item = _ITEM.match(stripped)
        return item is not None and item[2] in (None, "1") and item.end() < len(stripped)


def _columns(line: str) -> int:
    column = 0
    for character in line:
        if character == "\t":
            column += _TAB - column % _TAB
        elif character == " ":
            column += 1
        else:
            break
    return column


def _kind(indent: int, stripped: str) -> str | None:
    """The list that this line would be an item of: its marker's last character, or None."""
    if indent >= _TAB or _BREAK.match(stripped):
        return None
    item = _ITEM.match(stripped)
    return item[1][-1] if item else None


def _content_column(indent: int, stripped: str) -> int:
    """Section 5.2: the marker's width and 1 to 4 columns of space; 1 if there are more, or none."""
    item = _ITEM.match(stripped)
    assert item is not None
    marker = indent + len(item[1])
    text = stripped[item.end() :]
    spaces = _columns(" " * marker + text) - marker if text else 0
    return marker + (spaces if 1 <= spaces <= _TAB else 1)
