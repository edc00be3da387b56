"""What the stub received and sent, to the byte.

`Journal` is written by the stub's event loop. `LoggedRequest` is what a test reads: a copy,
which does not change when the stub goes on.
"""

import base64
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Self

ENTRIES = 20_000
TOTAL_BYTES = 512 * 2**20
ENTRY_BYTES = 32 * 2**20

Headers = list[tuple[str, str]]


@dataclass
class Entry:
    """One exchange while it happens. `chunks` are the body bytes, without HTTP's framing."""

    number: int
    method: str
    path: str
    headers: Headers
    body: bytes
    received_us: int
    status: int = 0
    sent_headers: Headers = field(default_factory=list)
    chunks: list[bytes] = field(default_factory=list)
    sent_bytes: int = 0
    ended_us: int | None = None
    cut: bool = False
    truncated: bool = False
    kept: bool = False


@dataclass(frozen=True)
class LoggedRequest:
    """One exchange.

    `body` is what arrived and `sent` what was written, after de-chunking. Times are
    microseconds of CLOCK_MONOTONIC; `ended_us` is None while the answer goes on. `cut`: the
    client went away before the end. `truncated`: more was sent than the log keeps.
    """

    number: int
    method: str
    path: str
    headers: Headers
    body: bytes
    received_us: int
    status: int
    sent_headers: Headers
    sent: bytes
    ended_us: int | None
    cut: bool
    truncated: bool

    @classmethod
    def of(cls, entry: Entry) -> Self:
        copied = {name: getattr(entry, name) for name in _SAME}
        # The tuple freezes the list: bytes.join drops the GIL for large bodies.
        return cls(**copied, sent=b"".join(tuple(entry.chunks)))

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Self:
        binary = {name: base64.b64decode(row[name]) for name in ("body", "sent")}
        pairs = {name: [(key, value) for key, value in row[name]] for name in _PAIRS}
        return cls(**{**row, **binary, **pairs})

    def to_json(self) -> dict[str, object]:
        binary = {name: base64.b64encode(getattr(self, name)).decode() for name in ("body", "sent")}
        return {**vars(self), **binary}


_PAIRS = ("headers", "sent_headers")
_SAME = tuple(name for name in LoggedRequest.__dataclass_fields__ if name != "sent")


class Journal:
    """The latest exchanges, bounded in number and bytes; the oldest leave first."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self.entries: deque[Entry] = deque()
        self.count = 0
        self.dropped = 0
        self._bytes = 0

    def begin(
        self, method: str, path: str, headers: Headers, body: bytes, received_us: int
    ) -> Entry:
        """A new entry, numbered from 1; kept if the log is on, unless it asks for the log."""
        self.count += 1
        entry = Entry(self.count, method, path, headers, body, received_us)
        if self.enabled and not path.startswith("/log"):
            entry.kept = True
            self.entries.append(entry)
            self._add(len(body))
        return entry

    def sent(self, entry: Entry, chunk: bytes) -> None:
        """Note that these body bytes were written."""
        entry.sent_bytes += len(chunk)
        if not entry.kept:
            return
        if entry.sent_bytes > ENTRY_BYTES:
            entry.truncated = True
            return
        entry.chunks.append(chunk)
        self._add(len(chunk))

    def since(self, number: int) -> list[LoggedRequest]:
        """Copies of the entries with a higher number, oldest first."""
        return [LoggedRequest.of(entry) for entry in tuple(self.entries) if entry.number > number]

    def _add(self, length: int) -> None:
        self._bytes += length
        while self._bytes > TOTAL_BYTES or len(self.entries) > ENTRIES:
            oldest = self.entries.popleft()
            oldest.kept = False
            self.dropped += 1
            self._bytes -= len(oldest.body) + sum(map(len, oldest.chunks))
