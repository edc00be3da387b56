"""Recording below the SDK: the exact bytes of a request and of its response.

`RecordingTransport` is the HTTP transport that every SDK client is given, so that what is kept is
what was sent and what arrived, whoever built it. Where to keep it is told by the `recording`
context variable, which the task that makes the call sets.
"""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field

import httpx2

from chat.llm.errors import Endless

MASKED_HEADERS = frozenset(
    {"authorization", "api-key", "x-api-key", "cookie", "set-cookie", "proxy-authorization"}
)
MASK = "••••"

Headers = list[tuple[str, str]]


@dataclass
class Recording:
    """One HTTP exchange. Offsets are milliseconds since the request went out; `chunks` has
    (offset, length) of every piece of the body as it arrived."""

    method: str = ""
    url: str = ""
    request_headers: Headers = field(default_factory=list)
    request_body: bytes = b""
    status: int | None = None
    response_headers: Headers = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    chunks: list[tuple[float, int]] = field(default_factory=list)
    size: int = 0
    sent_at: float | None = None
    headers_at: float | None = None
    # More bytes than this are not read: `Endless` is raised in their place.
    limit: int | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the status says that no answer follows."""
        return self.status is not None and self.status >= 300

    @property
    def response_body(self) -> bytes:
        return b"".join(self.pieces)

    def add(self, piece: bytes) -> None:
        """A piece of the response's body has arrived."""
        since = (time.perf_counter() - (self.sent_at or 0.0)) * 1000
        self.chunks.append((since, len(piece)))
        self.pieces.append(piece)
        self.size += len(piece)


recording: ContextVar[Recording | None] = ContextVar("recording", default=None)


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Passes requests on to `inner`, and keeps both directions in the current `recording`."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        kept = recording.get()
        if kept is None:
            return await self._inner.handle_async_request(request)
        kept.method = request.method
        kept.url = str(request.url)
        kept.request_headers = masked(request.headers)
        kept.request_body = await request.aread()
        kept.sent_at = time.perf_counter()
        response = await self._inner.handle_async_request(request)
        kept.headers_at = time.perf_counter()
        kept.status = response.status_code
        kept.response_headers = masked(response.headers)
        if kept.is_refused:
            # The SDK reads the body of an error at once, whatever it unpacks to.
            response.headers.pop("content-encoding", None)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _RecordedStream(response.stream, kept)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _RecordedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, kept: Recording) -> None:
        self._inner = inner
        self._kept = kept

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._inner.aclose)
            async for piece in self._inner:
                self._kept.add(piece)
                if self._kept.limit is not None and self._kept.size > self._kept.limit:
                    raise Endless(self._kept.limit, evidence=piece)
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def masked(headers: httpx2.Headers) -> Headers:
    """The headers in their order, what is secret replaced."""
    return [
        (name, MASK if name.lower() in MASKED_HEADERS else value)
        for name, value in headers.multi_items()
    ]
