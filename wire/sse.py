"""Server-sent events from bytes in chunks of any size.

The rules are those of the WHATWG's HTML standard, 9.2.6, with three differences. Data that is not
UTF-8 gives an `InvalidEvent` instead of U+FFFD: a response is never altered. The last event may
lack its empty line, which many servers omit. The fields `id` and `retry` are ignored: a model call
is repeated, not resumed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"
# A line of data in a decoded stream; the group is its data.
_DATA_LINE = re.compile("(?:^\ufeff?|[\r\n])data:([^\r\n]*)")


class ServerEvent(NamedTuple):
    """`type`: the event's name, "" for the default `message`.

    `start`, `end`: bytes of the stream, from the end of the previous event to the end of its own
    empty line; comments between two events belong to the second.
    """

    data: str
    type: str = ""
    start: int = 0
    end: int = 0


class InvalidEvent(NamedTuple):
    """An event whose data is not UTF-8. `offset`: the first bad byte. `line`: the line with it."""

    data: bytes
    type: str
    start: int
    end: int
    offset: int
    line: bytes


StreamEvent = ServerEvent | InvalidEvent


class EventStream:
    """Decodes one stream, each byte once."""

    def __init__(self) -> None:
        self._start = 0  # in the stream, of the event that is being read
        self._offset = 0  # of the line that is being read
        self._line: list[bytes] = []  # its bytes so far
        self._after_cr = False  # a \n that comes next belongs to the line before
        self._data: list[tuple[int, bytes]] = []  # lines of data, with their offsets
        self._type = ""

    def feed(self, piece: bytes) -> Sequence[StreamEvent]:
        """The events that end within this piece."""
        if not (self._line or self._data or self._type or self._after_cr):
            events = _plain_events(piece, self._offset)
            if events is not None:
                if self._start < self._offset:  # there were comments or empty lines
                    events[0] = events[0]._replace(start=self._start)
                self._start = self._offset = self._offset + len(piece)
                return events
        return self._read(piece)

    def rest(self) -> StreamEvent | None:
        """The event that lacks its empty line at the end of the stream. An unfinished line is
        dropped."""
        return self._end_event(self._offset)

    def close_line(self) -> None:
        """Ends an unfinished line at the end of the stream."""
        if self._line:
            self._end_line(0)

    def _read(self, piece: bytes) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        start = 1 if self._after_cr and piece.startswith(b"\n") else 0
        self._offset += start
        for end in _LINE_END.finditer(piece, start):
            self._line.append(piece[start : end.start()])
            start = end.end()
            if event := self._end_line(len(end[0])):
                events.append(event)
        if start < len(piece):
            self._line.append(piece[start:])
        if piece:
            self._after_cr = piece.endswith(b"\r")
        return events

    def _end_line(self, end_length: int) -> StreamEvent | None:
        line, self._line = b"".join(self._line), []
        at, self._offset = self._offset, self._offset + len(line) + end_length
        if at == 0 and line.startswith(_BOM):
            at, line = len(_BOM), line.removeprefix(_BOM)
        if not line:
            # The \r of \r\n ends it already: where it ends does not depend on how bytes were cut.
            return self._end_event(self._offset - (end_length - 1))
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append((at, line))
        elif field == b"event":
            self._type = value.removeprefix(b" ").decode(errors="replace")
        return None

    def _end_event(self, end: int) -> StreamEvent | None:
        lines, self._data = self._data, []
        type_, self._type = self._type, ""
        if not lines:
            return None
        start, self._start = self._start, end
        data = b"\n".join([line[5:].removeprefix(b" ") for _, line in lines])
        try:
            return ServerEvent(data.decode(), type_, start, end)
        except UnicodeDecodeError:
            return InvalidEvent(data, type_, start, end, *_first_invalid(lines))


def whole_events(body: bytes) -> list[StreamEvent]:
    """The events of a whole stream, without an unfinished line at its end."""
    stream = EventStream()
    events = [*stream.feed(body)]
    last = stream.rest()
    return [*events, last] if last else events


def events_of(body: bytes) -> list[StreamEvent]:
    """The events of a whole stream, the last one with an unfinished line at its end."""
    stream = EventStream()
    events = [*stream.feed(body)]
    stream.close_line()
    last = stream.rest()
    return [*events, last] if last else events


def data_lines(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of data in a decoded stream, in characters, one for each line of data."""
    return (line.span(1) for line in _DATA_LINE.finditer(text))


def _first_invalid(lines: Sequence[tuple[int, bytes]]) -> tuple[int, bytes]:
    """The offset of the first byte that is not UTF-8, and its line."""
    for at, line in lines:
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return at + error.start, line
    raise ValueError("All of these lines are UTF-8.")


def _plain_events(piece: bytes, at: int) -> list[StreamEvent] | None:
    """The events of a piece, if it consists of whole events of one `data: ` line each, with an
    `event: ` line in all of them or in none; else None. `at`: offset of the piece in the stream.

    Nearly all pieces are of this form, which is several times faster than line by line.
    """
    if not piece.endswith(b"\n\n") or b"\r" in piece:
        return None
    try:
        if piece.startswith(b"data: "):
            return _unnamed_events(piece, at)
        return _named_events(piece, at) if piece.startswith(b"event: ") else None
    except UnicodeDecodeError:
        return None


def _unnamed_events(piece: bytes, at: int) -> list[StreamEvent] | None:
    texts = piece[6:-2].decode().split("\n\ndata: ")
    if piece.count(b"\n") != 2 * len(texts):
        return None
    if len(texts) == 1:
        return [ServerEvent(texts[0], "", at, at + len(piece))]
    events: list[StreamEvent] = []
    for text in texts:
        end = at + len("data: \n\n") + _size(text)
        events.append(ServerEvent(text, "", at, end))
        at = end
    return events


def _named_events(piece: bytes, at: int) -> list[StreamEvent] | None:
    events: list[StreamEvent] = []
    for text in piece[7:-2].decode().split("\n\nevent: "):
        kind, separator, data = text.partition("\ndata: ")
        if not separator or not kind or "\n" in kind or "\n" in data:
            return None
        end = at + len("event: \n\n") + _size(text)
        events.append(ServerEvent(data, kind, at, end))
        at = end
    return events


def _size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
