"""Parts of a body, so that a page loads only those in sight.

A part begins at the first line, else the first character, at or after a multiple of `SIZE`. A part
is found without reading those before it.
"""

from dataclasses import dataclass, field

from limits.trace_pages import MAX_MARKS
from tracing.formatting.text import visible
from tracing.page.payload.text_matches import Match, find_within, margin
from tracing.store.ranges import Body

SIZE = 8_192
# Bytes after the end of a part within which its last line may end.
_TO_LINE_END = 1_024
# Bytes in a line of a hexdump: in a column of the ladder, and on a page of its own.
NARROW, BROAD = 8, 16


@dataclass(frozen=True)
class MarkedText:
    """A slice of a part; `match` is its first byte in the body if it is a match."""

    text: str
    match: int | None = None


@dataclass(frozen=True)
class Part:
    """`number` from 1; `start` and `end` (exclusive) are bytes of the body."""

    number: int
    start: int
    end: int
    texts: list[MarkedText] = field(default_factory=list)


def count(size: int) -> int:
    return max(1, -(-size // SIZE))


def number_at(body: Body, at: int) -> int:
    """The number of the part with this byte."""
    number = min(max(0, at) // SIZE + 1, count(body.size))
    return number - 1 if number > 1 and start_of(body, number) > at else number


def start_of(body: Body, number: int) -> int:
    """The first byte of a part."""
    at = (number - 1) * SIZE
    return at + _cut(body.read(at, at + _TO_LINE_END)) if number > 1 else 0


def starts(body: Body) -> list[int]:
    """The first byte of every part; reads the body once."""
    offsets, tail, at = [0], b"", 0
    for chunk in body.stream():
        content = tail + chunk
        while (next_at := len(offsets) * SIZE) + _TO_LINE_END <= at + len(content):
            offsets.append(next_at + _cut(content[next_at - at :][:_TO_LINE_END]))
        first = min(max(len(offsets) * SIZE - at, 0), len(content))
        tail, at = content[first:], at + first
    for number in range(len(offsets) + 1, count(body.size) + 1):
        next_at = (number - 1) * SIZE
        offsets.append(next_at + _cut(tail[next_at - at :][:_TO_LINE_END]))
    return offsets


def read_part(
    body: Body,
    number: int,
    query: str = "",
    hex_width: int = 0,
    between: tuple[int, int] | None = None,
) -> Part:
    """One part as text with the matches of `query`, else the bytes `between`, marked; a hexdump
    with `hex_width` bytes in a line if that is not 0. Raises PayloadCorrupt."""
    number = min(max(1, number), count(body.size))
    if hex_width:
        return _hex_part(body, number, hex_width)
    start, end = _bounds(body, number)
    margin_bytes = margin(query)
    first = max(0, start - margin_bytes)
    content = body.read(first, end + margin_bytes)
    matches = [Match(*between)] if between else []
    if query:
        matches = [match.moved(first) for match in find_within(content, query)]
    matches_inside = [match for match in matches if match.end > start and match.start < end]
    text = content[start - first : end - first]
    return Part(number, start, end, _marked_texts(text, start, matches_inside[:MAX_MARKS]))


def _bounds(body: Body, number: int) -> tuple[int, int]:
    at = (number - 1) * SIZE
    content = body.read(at, at + SIZE + _TO_LINE_END)
    start = _cut(content[:_TO_LINE_END]) if number > 1 else 0
    end = SIZE + _cut(content[SIZE:]) if at + SIZE < body.size else body.size - at
    return at + start, at + end


def _cut(content: bytes) -> int:
    """Offset of the beginning of a part in the bytes after a multiple of `SIZE`."""
    line_end = content.find(b"\n")
    if line_end >= 0:
        return line_end + 1
    return next((at for at in range(min(4, len(content))) if content[at] & 0xC0 != 0x80), 0)


def _marked_texts(content: bytes, start: int, matches: list[Match]) -> list[MarkedText]:
    texts, at = [], 0
    for match in matches:
        begin, end = max(at, match.start - start), min(len(content), match.end - start)
        if begin >= end:
            continue
        texts.append(MarkedText(_text(content[at:begin])))
        texts.append(MarkedText(_text(content[begin:end]), match.start))
        at = end
    texts.append(MarkedText(_text(content[at:])))
    return [text for text in texts if text.text]


def _text(content: bytes) -> str:
    return visible(content.decode(errors="replace"))


def _hex_part(body: Body, number: int, width: int) -> Part:
    start = (number - 1) * SIZE
    content = body.read(start, start + SIZE)
    return Part(number, start, start + len(content), [MarkedText(hex_lines(content, start, width))])


def hex_lines(content: bytes, start: int = 0, width: int = BROAD) -> str:
    """Lines of `width` bytes: offset, hex, text."""
    rows = range(0, len(content), width)
    return "".join(_hex_line(content[at : at + width], start + at, width) for at in rows)


def _hex_line(row: bytes, at: int, width: int) -> str:
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in row)
    return f"{at:08x}  {row.hex(' '):<{width * 3 - 1}}  {text}\n"
