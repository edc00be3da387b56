"""Server-sent events from bytes that arrive cut anywhere.

The rules are those of the WHATWG's HTML standard, 9.2.6, with two differences. Bytes that are not
UTF-8 are an error, not U+FFFD: what a model said is not to be changed. And the fields `id` and
`retry` are passed over, as we never reconnect: a model call is repeated, not resumed.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from chat.llm.errors import InvalidUtf8

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = "\ufeff"


class ServerEvent(NamedTuple):
    data: str
    type: str = "message"


class EventStream:
    """Decodes one stream, each byte once."""

    def __init__(self) -> None:
        self._offset = 0  # in the stream, of the line that is being read
        self._line: list[bytes] = []  # what is there of it
        self._after_cr = False  # a \n that comes next belongs to the line before
        self._data: list[str] = []
        self._type = ""

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """The events that end within this piece; to be iterated to the end.

        Raises InvalidUtf8, after the events that came before.
        """
        events = None if self._is_amid_event() else _plain_events(piece)
        if events is None:
            yield from self._read(piece)
        else:
            self._offset += len(piece)
            yield from events

    def rest(self) -> ServerEvent | None:
        """At the end of the stream: the event that only misses its empty line.

        The standard drops it, but too many servers forget that line. A line that does not end is
        dropped here, too: it was cut.
        """
        return self._end_event()

    def _is_amid_event(self) -> bool:
        return bool(self._line or self._data or self._type or self._after_cr)

    def _read(self, piece: bytes) -> Iterator[ServerEvent]:
        start = 1 if self._after_cr and piece.startswith(b"\n") else 0
        self._offset += start
        for end in _LINE_END.finditer(piece, start):
            self._line.append(piece[start : end.start()])
            start = end.end()
            if event := self._end_line(len(end[0])):
                yield event
        if start < len(piece):
            self._line.append(piece[start:])
        if piece:
            self._after_cr = piece.endswith(b"\r")

    def _end_line(self, end_length: int) -> ServerEvent | None:
        line = b"".join(self._line)
        self._line = []
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InvalidUtf8(self._offset + error.start, evidence=line) from None
        if self._offset == 0:
            text = text.removeprefix(_BOM)
        self._offset += len(line) + end_length
        if not text:
            return self._end_event()
        field, _, value = text.partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
        elif field == "event":
            self._type = value.removeprefix(" ")
        return None

    def _end_event(self) -> ServerEvent | None:
        data, self._data = self._data, []
        type_, self._type = self._type, ""
        return ServerEvent("\n".join(data), type_ or "message") if data else None


def _plain_events(piece: bytes) -> list[ServerEvent] | None:
    """The events of a piece that holds nothing but whole ones of one `data: ` line each, all of
    them with an `event: ` line before it or none, else None.

    That is what almost all pieces are, and several times faster than line by line.
    """
    if not piece.endswith(b"\n\n") or b"\r" in piece:
        return None
    try:
        if piece.startswith(b"data: "):
            return _unnamed_events(piece)
        return _named_events(piece) if piece.startswith(b"event: ") else None
    except UnicodeDecodeError:
        return None


def _unnamed_events(piece: bytes) -> list[ServerEvent] | None:
    texts = piece[6:-2].decode().split("\n\ndata: ")
    if piece.count(b"\n") != 2 * len(texts):
        return None
    return [ServerEvent(text) for text in texts]


def _named_events(piece: bytes) -> list[ServerEvent] | None:
    events = []
    for text in piece[7:-2].decode().split("\n\nevent: "):
        kind, found, data = text.partition("\ndata: ")
        if not found or not kind or "\n" in kind or "\n" in data:
            return None
        events.append(ServerEvent(data, kind))
    return events
