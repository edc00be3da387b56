"""ASGI middleware: compresses responses as the client accepts it, zstd before gzip.

Compressed are HTML, JSON, text, scripts and styles of at least `MIN_COMPRESSED_BYTES`, streamed or
whole; static files are compressed once, by `config.static_files`. Not compressed are event streams,
whose events must not be delayed, parts of a file (206), and responses with a `Content-Encoding` of
their own.

The length of a compressed page leaks a secret if the page also has text that an attacker chose
(BREACH). Django masks its CSRF token anew in each page; besides, each response gets a header of 0
to `MAX_PADDING` bytes at random, as Django's GZipMiddleware adds a file name of random length.
"""

import asyncio
import gzip
import secrets
import zlib
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from host import zstd
from limits.web import MAX_PADDING

Application = Callable[..., Awaitable[Any]]
Message = dict[str, Any]
Headers = list[tuple[bytes, bytes]]

MIN_COMPRESSED_BYTES = 500
# A chunk of more bytes is compressed in a thread.
THREAD_BYTES = 64 * 1024
PADDING = b"x-padding"
_GZIP_LEVEL = 5
_GZIP_WBITS = 31
_ZSTD_LEVEL = 3
_BEST_ZSTD_LEVEL = 19
# log2 of the window's bytes: 8 MB, the largest window of browsers (RFC 9659). A trace repeats the
# messages of earlier rounds.
_WINDOW_LOG = 23
_STREAM_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: _ZSTD_LEVEL,
    zstd.CompressionParameter.window_log: _WINDOW_LOG,
    zstd.CompressionParameter.enable_long_distance_matching: 1,
}
_COMPRESSED_SUBTYPES = (b"json", b"javascript", b"xml", b"manifest+json", b"x-ndjson")
_UNCOMPRESSED_HEADERS = frozenset({b"content-encoding", b"content-range"})


class Compressor(Protocol):
    """The methods that zlib's and zstd's compressors share."""

    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


class Compression:
    """ASGI middleware."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        encoding = best_encoding(headers.get(b"accept-encoding", b""))
        if scope["method"] == "HEAD" or b"range" in headers:
            encoding = ""
        await self._application(scope, receive, _Response(send, encoding).send)


def best_encoding(accept_encoding: bytes) -> str:
    """`zstd`, `gzip` or "", for an `Accept-Encoding` header (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for part in accept_encoding.decode("latin-1").lower().split(","):
        name, _, parameters = part.partition(";")
        weights[name.strip()] = _weight(parameters)
    ours = {name: weights.get(name, weights.get("*", 0.0)) for name in ("zstd", "gzip")}
    best = max(ours, key=lambda name: ours[name])
    return best if ours[best] > 0 else ""


def _weight(parameters: str) -> float:
    name, _, value = parameters.partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


class _Response:
    """The outgoing messages of one response. Its head waits for the first chunk of the body, whose
    size decides whether to compress."""

    def __init__(self, send: Callable[[Message], Awaitable[None]], encoding: str) -> None:
        self._send = send
        self._encoding = encoding
        self._head: Message | None = None
        self._compressor: Compressor | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._head = message
            return
        head, self._head = self._head, None
        if head is not None:
            self._begin(head, message)
        if self._compressor is not None:
            body = await self._compress(self._compressor, message)
            if head is not None and not message.get("more_body"):
                head["headers"].append((b"content-length", str(len(body)).encode()))
            message = {**message, "body": body}
        if head is not None:
            await self._send(head)
        await self._send(message)

    def _begin(self, head: Message, first: Message) -> None:
        # Django sends header names with capitals, though ASGI requires lower case.
        headers: Headers = [(name.lower(), value) for name, value in head.get("headers", [])]
        if not is_compressible(head["status"], dict(headers)):
            return
        varies = b",".join(value for name, value in headers if name == b"vary").lower()
        if b"accept-encoding" not in varies:
            headers.append((b"vary", b"Accept-Encoding"))
        is_small = not first.get("more_body") and len(first.get("body", b"")) < MIN_COMPRESSED_BYTES
        if self._encoding and not is_small:
            size = -1 if first.get("more_body") else len(first.get("body", b""))
            self._compressor = _compressor(self._encoding, size)
            headers = [
                (n, weak(v) if n == b"etag" else v) for n, v in headers if n != b"content-length"
            ]
            padding = b"0" * secrets.randbelow(MAX_PADDING + 1)
            headers += [(b"content-encoding", self._encoding.encode()), (PADDING, padding)]
        head["headers"] = headers

    async def _compress(self, compressor: Compressor, message: Message) -> bytes:
        body, is_last = message.get("body", b""), not message.get("more_body")
        if len(body) > THREAD_BYTES:
            return await asyncio.to_thread(_compress_chunk, compressor, body, is_last)
        return _compress_chunk(compressor, body, is_last)


def _compress_chunk(compressor: Compressor, body: bytes, is_last: bool) -> bytes:
    return compressor.compress(body) + (compressor.flush() if is_last else b"")


def _compressor(encoding: str, size: int) -> Compressor:
    """`size` is the length of the body in bytes, -1 for a streamed one."""
    if encoding == "gzip":
        return zlib.compressobj(_GZIP_LEVEL, wbits=_GZIP_WBITS)
    if size >= 0:
        whole = zstd.ZstdCompressor(_ZSTD_LEVEL)
        whole.set_pledged_input_size(size)
        return whole
    return zstd.ZstdCompressor(options=_STREAM_OPTIONS)


def compress_whole(body: bytes, encoding: str) -> bytes:
    """`body` as small as `encoding` makes it, for what is compressed once and sent often."""
    if encoding == "gzip":
        return gzip.compress(body, 9, mtime=0)
    return zstd.compress(body, _BEST_ZSTD_LEVEL)


def is_compressible(status: int, headers: dict[bytes, bytes]) -> bool:
    if status < 200 or status in (204, 206, 304) or _UNCOMPRESSED_HEADERS & headers.keys():
        return False
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind == b"text/event-stream" or b"no-transform" in headers.get(b"cache-control", b""):
        return False
    if kind.startswith(b"text/") or kind == b"image/svg+xml":
        return True
    return kind.startswith(b"application/") and kind.endswith(_COMPRESSED_SUBTYPES)


def weak(etag: bytes) -> bytes:
    return etag if etag.startswith(b"W/") else b"W/" + etag
