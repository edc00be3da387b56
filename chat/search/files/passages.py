"""Cuts the text of a file into passages: at the ends of paragraphs and pages, before headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from limits.search import MAX_PASSAGE

# What the text of a PDF has before each page (`tools.documents.document_process`).
PAGE = re.compile(r"\[Page (\d{1,6}) of \d{1,6}\]")
_HEADING = re.compile(r"#{1,6} +(\S.*)")
# Characters after which a passage ends with its paragraph, and before which no heading begins one.
_ENOUGH = 700
_LITTLE = 200
_SENTENCE_END = re.compile(r"[.!?。！？；;]\s*|\s")


@dataclass(frozen=True)
class PassageText:
    """`page` is 0 in a file without pages, `line` counts from 1."""

    text: str
    line: int
    page: int = 0
    heading: str = ""


@dataclass
class _Draft:
    lines: list[str] = field(default_factory=list)
    length: int = 0
    line: int = 0

    def add(self, line: str, number: int) -> None:
        self.line = self.line if self.lines else number
        self.lines.append(line)
        self.length += len(line) + 1


def passages(text: str) -> Iterator[PassageText]:
    draft, page, heading = _Draft(), 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = PAGE.fullmatch(line.strip())
        titled = _HEADING.match(line)
        is_end = draft.length >= _ENOUGH and not line.strip()
        is_full = draft.length + len(line) > MAX_PASSAGE
        if mark or is_end or is_full or (titled and draft.length >= _LITTLE):
            yield from _ended(draft, page, heading)
            draft = _Draft()
        if mark:
            page = int(mark[1])
            continue
        heading = titled[1].strip()[:200] if titled else heading
        for part in _parts(line):
            if draft.length + len(part) > MAX_PASSAGE:
                yield from _ended(draft, page, heading)
                draft = _Draft()
            draft.add(part, number)
    yield from _ended(draft, page, heading)


def _ended(draft: _Draft, page: int, heading: str) -> Iterator[PassageText]:
    blank = next((at for at, line in enumerate(draft.lines) if line.strip()), 0)
    text = "\n".join(draft.lines[blank:]).rstrip()
    if text.strip():
        yield PassageText(text, draft.line + blank, page, heading)


def _parts(line: str) -> Iterator[str]:
    """A line that is too long for a passage is cut after a sentence, or a word."""
    while len(line) > MAX_PASSAGE:
        ends = [
            match.end() for match in _SENTENCE_END.finditer(line, MAX_PASSAGE // 2, MAX_PASSAGE)
        ]
        at = ends[-1] if ends else MAX_PASSAGE
        yield line[:at]
        line = line[at:]
    yield line
