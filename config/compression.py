"""What leaves is compressed, as the client accepts it: zstd before gzip.

HTML, JSON, text, scripts and styles from `SMALLEST` bytes on, streamed or whole; not a stream of
events, whose parts must not wait for each other, not a part of a file (206), and nothing that is
encoded by itself. It stands in front of everything, static files too.

A page that repeats what somebody else chose beside a secret can be guessed at by its length
(BREACH). Django masks its CSRF token anew in each page; beside that each answer gets a header of
random length, as random as the file name that Django's own GZipMiddleware hides in its answers.
"""

import asyncio
import secrets
import zlib
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import zstandard

from limits.web import MAX_PADDING

Application = Callable[..., Awaitable[Any]]
Message = dict[str, Any]
Headers = list[tuple[bytes, bytes]]

SMALLEST = 500
# More at once is compressed in a thread.
A_LOT = 64 * 1024
PADDING = b"x-padding"
_GZIP_LEVEL = 5
_GZIP = 31
_ZSTD_LEVEL = 3
# 8 MB: the most that browsers keep (RFC 9659). Rounds repeat what those before them had.
_WINDOW_LOG = 23
_APPLICATION = (b"json", b"javascript", b"xml", b"manifest+json", b"x-ndjson")
_FIXED = frozenset({b"content-encoding", b"content-range"})


class Compressor(Protocol):
    """What zlib and zstandard have in common."""

    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


class Compression:
    """ASGI middleware."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        accepted = dict(scope["headers"])
        encoding = best_encoding(accepted.get(b"accept-encoding", b""))
        if scope["method"] == "HEAD" or b"range" in accepted:
            encoding = ""
        await self._application(scope, receive, _Response(send, encoding).send)


def best_encoding(accepted: bytes) -> str:
    """`zstd`, `gzip`, or nothing (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for part in accepted.decode("latin-1").lower().split(","):
        name, _, parameters = part.partition(";")
        weights[name.strip()] = _weight(parameters)
    known = {name: weights.get(name, weights.get("*", 0.0)) for name in ("zstd", "gzip")}
    best = max(known, key=lambda name: known[name])
    return best if known[best] > 0 else ""


def _weight(parameters: str) -> float:
    name, _, value = parameters.partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


class _Response:
    """The messages of one response on their way out. Its head is held back until its first bytes
    say whether it is worth it."""

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
        # Django writes them with capitals, though ASGI asks for none.
        headers: Headers = [(name.lower(), value) for name, value in head.get("headers", [])]
        if not _is_compressible(head["status"], dict(headers)):
            return
        varies = b",".join(value for name, value in headers if name == b"vary").lower()
        if b"accept-encoding" not in varies:
            headers.append((b"vary", b"Accept-Encoding"))
        is_small = not first.get("more_body") and len(first.get("body", b"")) < SMALLEST
        if self._encoding and not is_small:
            size = -1 if first.get("more_body") else len(first.get("body", b""))
            self._compressor = _compressor(self._encoding, size)
            headers = [
                (n, _weak(v) if n == b"etag" else v) for n, v in headers if n != b"content-length"
            ]
            padding = b"0" * secrets.randbelow(MAX_PADDING + 1)
            headers += [(b"content-encoding", self._encoding.encode()), (PADDING, padding)]
        head["headers"] = headers

    async def _compress(self, compressor: Compressor, message: Message) -> bytes:
        body, is_last = message.get("body", b""), not message.get("more_body")
        if len(body) > A_LOT:
            return await asyncio.to_thread(_compressed, compressor, body, is_last)
        return _compressed(compressor, body, is_last)


def _compressed(compressor: Compressor, body: bytes, is_last: bool) -> bytes:
    return compressor.compress(body) + (compressor.flush() if is_last else b"")


def _compressor(encoding: str, size: int) -> Compressor:
    """`size` is -1 for what comes in pieces."""
    if encoding == "gzip":
        return zlib.compressobj(_GZIP_LEVEL, wbits=_GZIP)
    if size >= 0:
        return zstandard.ZstdCompressor(_ZSTD_LEVEL).compressobj(size)
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _ZSTD_LEVEL, window_log=_WINDOW_LOG, enable_ldm=True
    )
    return zstandard.ZstdCompressor(compression_params=parameters).compressobj()


def _is_compressible(status: int, headers: dict[bytes, bytes]) -> bool:
    if status < 200 or status in (204, 206, 304) or _FIXED & headers.keys():
        return False
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind == b"text/event-stream" or b"no-transform" in headers.get(b"cache-control", b""):
        return False
    if kind.startswith(b"text/") or kind == b"image/svg+xml":
        return True
    return kind.startswith(b"application/") and kind.endswith(_APPLICATION)


def _weak(etag: bytes) -> bytes:
    return etag if etag.startswith(b"W/") else b"W/" + etag
