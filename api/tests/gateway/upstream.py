"""A provider that does what it should not, over real sockets.

The query says how it answers (`?do=…`, see `Upstream._answer`). Every request is kept as its bytes
came.
"""

import asyncio
import gzip
import json
import threading
import time
from asyncio import StreamReader as Reader
from asyncio import StreamWriter as Writer
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from tests import patience

TOOL_CALL = (
    b'{"id":"chatcmpl-1","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":'
    b'{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":'
    b'{"name":"add","arguments":"{\\"a\\": 1}"}}]}}],"usage":{"prompt_tokens":7,'
    b'"completion_tokens":3,"total_tokens":10}}'
)
ANSWER = (
    b'{"id":"chatcmpl-2","model":"m","choices":[{"index":0,"finish_reason":"stop","message":'
    b'{"role":"assistant","content":"done"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,'
    b'"total_tokens":10}}'
)


UNREPORTED = json.dumps(
    {"choices": [{"index": 0, "message": {"role": "assistant", "content": "word " * 800}}]}
).encode()


@dataclass
class Seen:
    """A request as it arrived. `body` is without the framing of chunks."""

    connection: int
    line: str
    headers: list[tuple[str, str]]
    body: bytes = b""
    is_whole: bool = False
    gone_at: float | None = None

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]


@dataclass
class Upstream:
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    # Set when a request whose caller went away was noticed.
    left: threading.Event = field(default_factory=threading.Event)

    async def serve(self, reader: Reader, writer: Writer) -> None:
        self.connections += 1
        connection = self.connections
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(connection, reader, writer):
                pass
        with suppress(RuntimeError):  # the loop has ended
            writer.close()

    async def _one(self, connection: int, reader: Reader, writer: Writer) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = head.split("\r\n")[:-2]
        headers = [
            (name, value.strip()) for name, _, value in (one.partition(":") for one in lines)
        ]
        seen = Seen(connection, line, headers)
        self.seen.append(seen)
        options = {k: v[0] for k, v in parse_qs(urlsplit(line.split(" ")[1]).query).items()}
        if options.get("do") == "early":
            await _send(
                writer,
                b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge",
            )
            await reader.read()  # lingers, as servers do, so that the answer is not reset
            return False
        seen.body = await _body(seen, reader)
        seen.is_whole = True
        return await self._answer(options, seen, reader, writer)

    async def _answer(
        self, options: dict[str, str], seen: Seen, reader: Reader, writer: Writer
    ) -> bool:
        size = int(options.get("n", 0))
        match options.get("do", "echo"):
            case "echo":
                await _whole(writer, seen.body, options.get("type", "application/octet-stream"))
            case "call":
                await _whole(writer, TOOL_CALL, "application/json")
            case "answer":
                await _whole(writer, ANSWER, "application/json")
            case "error":
                await _whole(
                    writer, b'{"error":{"message":"slow down"}}', "application/json", "429 Slow"
                )
            case "zip":
                zipped = gzip.compress(ANSWER)
                await _whole(writer, zipped, "application/json", more="Content-Encoding: gzip\r\n")
            case "big":
                await _whole(writer, bytes(range(256)) * (size // 256))
            case "unreported":
                await _whole(writer, UNREPORTED, "application/json")
            case "cut-stream":
                await _cut_stream(writer, size)
                return False
            case "messages":
                await _cut_messages(writer, size)
                return False
            case "stream":
                await _chunked(writer, size, float(options.get("pause", 0)))
            case "early-hints":
                writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
                await _whole(writer, b"after hints")
            case "trailers":
                await _send(
                    writer,
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                    b"Trailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n",
                )
            case "close":
                await _send(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
                return False
            case "until-close":
                await _send(writer, b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end")
                return False
            case "reset":
                await _send(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
                writer.transport.abort()
                return False
            case "nothing":
                writer.transport.abort()
                return False
            case "rubbish":
                await _send(writer, b"this is no HTTP\r\n\r\n")
                return False
            case "hang":
                await _until_gone(self, seen, reader)
                return False
            case "begin":
                await _send(
                    writer,
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n6\r\nfirst\n\r\n",
                )
                await _until_gone(self, seen, reader)
                return False
            case "key":
                await _repeat_key(writer, seen, is_zipped=False)
            case "zipped-key":
                await _repeat_key(writer, seen, is_zipped=True)
            case "headers":
                await _send(
                    writer,
                    b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nX-Kept: 1\r\n"
                    b"Connection: X-Dropped, keep-alive\r\nX-Dropped: 1\r\n"
                    b"Keep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok",
                )
        return True


async def _body(seen: Seen, reader: Reader) -> bytes:
    if "chunked" in seen.header("transfer-encoding"):
        pieces = []
        while size := int(await reader.readline(), 16):
            pieces.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(pieces)
    length = seen.header("content-length")
    return await reader.readexactly(int(length[0])) if length else b""


async def _send(writer: Writer, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def _whole(
    writer: Writer,
    body: bytes,
    kind: str = "application/octet-stream",
    status: str = "200 OK",
    more: str = "",
) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    await _send(writer, head.encode() + body)


async def _chunked(writer: Writer, count: int, pause: float) -> None:
    await _send(
        writer,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    )
    for number in range(count):
        piece = event(number)
        await _send(writer, f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await asyncio.sleep(pause)
    await _send(writer, b"0\r\n\r\n")


async def _cut_stream(writer: Writer, count: int) -> None:
    """A stream that the provider breaks off before its end."""
    await _send(writer, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
    events = b"".join(map(event, range(count)))
    await _send(writer, b"Content-Length: 99999999\r\n\r\n" + events)


async def _cut_messages(writer: Writer, count: int) -> None:
    """The same of Anthropic's messages: at its beginning it has counted what it read."""
    usage = {"input_tokens": 11, "output_tokens": 1}
    start: dict[str, object] = {
        "type": "message_start",
        "message": {"id": "m", "content": [], "usage": usage},
    }
    block: dict[str, object] = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text"},
    }
    delta = {"type": "text_delta", "text": "word "}
    deltas: list[dict[str, object]] = [
        {"type": "content_block_delta", "index": 0, "delta": delta}
    ] * count
    events = "".join(
        f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in [start, block, *deltas]
    )
    await _send(writer, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
    await _send(writer, b"Content-Length: 99999999\r\n\r\n" + events.encode())


def event(number: int) -> bytes:
    delta = f'{{"index":0,"delta":{{"content":"w{number} "}}}}'
    return f'data: {{"id":"s","model":"m","choices":[{delta}]}}\n\n'.encode()


async def _repeat_key(writer: Writer, seen: Seen, *, is_zipped: bool) -> None:
    """The caller's key, in pieces of three bytes."""
    key = (seen.header("authorization") or seen.header("x-api-key"))[0].removeprefix("Bearer ")
    body = f'{{"error": {{"message": "Incorrect API key provided: {key}"}}}}'.encode()
    body = gzip.compress(body) if is_zipped else body
    coding = "Content-Encoding: gzip\r\n" if is_zipped else ""
    head = f"HTTP/1.1 401 No\r\nX-Key: {key}\r\n{coding}Content-Length: {len(body)}\r\n\r\n"
    await _send(writer, head.encode())
    for start in range(0, len(body), 3):
        await _send(writer, body[start : start + 3])
        await asyncio.sleep(0)


async def _until_gone(upstream: Upstream, seen: Seen, reader: Reader) -> None:
    with suppress(ConnectionError):
        await reader.read()
    seen.gone_at = time.monotonic()
    upstream.left.set()


@contextmanager
def running_upstream() -> Iterator[Upstream]:
    """In a thread of its own."""
    upstream, loop = Upstream(), asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(upstream.serve, "127.0.0.1", 0))
    upstream.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield upstream
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(patience.SECONDS)
