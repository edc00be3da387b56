"""HTTP/1.1 for the stub, on one asyncio.Protocol a connection.

A response body is chunked, and each write is one HTTP chunk, unless it has a length. Requests on
one connection are answered in order.
"""

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Callable
from http.client import responses
from typing import cast

from httptools import HttpParserError, HttpRequestParser

from benchmarks.stub.journal import Entry, Headers, Journal
from benchmarks.stub.pacing import Pacer, Stream
from benchmarks.stub.text import now_us

END = b"0\r\n\r\n"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Exchange:
    """One request and its response, which is `begin`, some `write` and one way to end."""

    def __init__(self, connection: "Connection", entry: Entry) -> None:
        self.entry = entry
        self.paused = connection.paused
        self.stream: Stream | None = None
        self._connection = connection
        self._chunked = True

    def begin(
        self, status: int, content_type: str, *extra: tuple[str, str], length: int | None = None
    ) -> None:
        """Write the status and headers of a chunked response, or of one said to be this long."""
        self._chunked = length is None
        framing = (
            ("Transfer-Encoding", "chunked") if length is None else ("Content-Length", f"{length}")
        )
        headers = [("Content-Type", content_type), framing, *extra]
        self.entry.status, self.entry.sent_headers = status, headers
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        line = f"HTTP/1.1 {status} {responses.get(status, 'Unknown')}"
        self._connection.transport.write(f"{line}\r\n{lines}\r\n".encode())

    def write(self, chunk: bytes) -> None:
        framed = b"%x\r\n%b\r\n" % (len(chunk), chunk) if self._chunked else chunk
        self._connection.transport.write(framed)
        self._connection.journal.sent(self.entry, chunk)

    def end(self) -> None:
        if self._chunked:
            self._connection.transport.write(END)
        self._end()

    def close(self) -> None:
        """Close the connection without the last chunk."""
        self._end()
        self._connection.transport.close()

    def reset(self) -> None:
        """Let the reader meet a TCP reset; what was written may be lost on the way."""
        self._end()
        raw = cast(socket.socket, self._connection.transport.get_extra_info("socket"))
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self._connection.transport.abort()

    def pause(self, paused: bool) -> None:
        self.paused = paused
        if not paused and self.stream and not self.stream.over:
            self._connection.pacer.add(self.stream)

    def client_left(self) -> None:
        self.entry.cut = True
        self.entry.ended_us = now_us()
        if self.stream:
            self.stream.over = True

    def _end(self) -> None:
        self.entry.ended_us = now_us()
        self._connection.next_exchange()


Answerer = Callable[[Exchange], None]


class Connection(asyncio.Protocol):
    """One client connection."""

    transport: asyncio.Transport

    def __init__(self, answer: Answerer, journal: Journal, pacer: Pacer) -> None:
        self.journal = journal
        self.pacer = pacer
        self.paused = False
        self._last = False
        self._answer = answer
        self._current: Exchange | None = None
        self._waiting: deque[Entry] = deque()
        self._parser = HttpRequestParser(self)
        self._url = b""
        self._headers: Headers = []
        self._body: list[bytes] = []

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        raw = cast(socket.socket, transport.get_extra_info("socket"))
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except HttpParserError:
            self.transport.close()
            return
        # Not in the parser's callback: it would turn an error of ours into one of the client's.
        if self._waiting and not self._current:
            self.next_exchange()

    def pause_writing(self) -> None:
        self._set_paused(True)

    def resume_writing(self) -> None:
        self._set_paused(False)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._current:
            self._current.client_left()
        self._current = None
        self._waiting.clear()

    # httptools

    def on_message_begin(self) -> None:
        self._url, self._headers, self._body = b"", [], []

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.decode("latin-1"), value.decode("latin-1")))

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        method, path = self._parser.get_method().decode(), self._url.decode("latin-1")
        entry = self.journal.begin(method, path, self._headers, b"".join(self._body), now_us())
        self._waiting.append(entry)
        self._last = not self._parser.should_keep_alive()

    # Exchange

    def next_exchange(self) -> None:
        """Leave the current exchange and answer the next request, if one waits."""
        self._current = None
        if self._waiting and not self.transport.is_closing():
            self._current = Exchange(self, self._waiting.popleft())
            self._answer(self._current)
        elif self._last:
            self.transport.close()

    def _set_paused(self, paused: bool) -> None:
        self.paused = paused
        if self._current:
            self._current.pause(paused)
