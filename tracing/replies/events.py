"""The events of a recorded response, each with the place of its last byte."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Event:
    """`end` is the number of the body's bytes up to the end of the event."""

    type: str
    data: bytes
    end: int


def read_events(body: bytes) -> list[Event]:
    """The server-sent events of a body; one for a JSON document, none for what is neither."""
    if body.lstrip()[:1] in (b"{", b"["):
        return [Event("", body, len(body))]
    return list(_events(body.removeprefix(_BOM), len(body) - len(body.removeprefix(_BOM))))


def _events(body: bytes, before: int) -> Iterator[Event]:
    """An event ends with an empty line, the last one also with the body."""
    type_, end = "", 0
    data: list[bytes] = []
    for start, stop, behind in _lines(body):
        if start == stop and data:
            yield Event(type_, b"\n".join(data), before + behind)
            type_, data = "", []
        field, _, value = body[start:stop].partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
            end = behind
        elif field == b"event":
            type_ = value.removeprefix(b" ").decode(errors="replace")
    if data:
        yield Event(type_, b"\n".join(data), before + end)


def _lines(body: bytes) -> Iterator[tuple[int, int, int]]:
    """Start and end of each line, and where the next one begins."""
    start = 0
    for found in _LINE_END.finditer(body):
        yield start, found.start(), found.end()
        start = found.end()
    if start < len(body):
        yield start, len(body), len(body)
