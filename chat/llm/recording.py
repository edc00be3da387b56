"""Recording below the SDK: the exact bytes of a request and of its response.

`RecordingTransport` is the HTTP transport of every SDK client, so that the record has what was sent
and received, whoever built it. The context variable `recording` holds the record of the current
call; the task that makes the call sets it.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field

import httpx2
from httpx_aiohttp.httpx2.transport import AiohttpResponseStream, map_aiohttp_exceptions

from chat.llm.errors import Endless

MASKED_HEADERS = frozenset(
    {"authorization", "api-key", "x-api-key", "cookie", "set-cookie", "proxy-authorization"}
)
MASK = "••••"
# The extension of a recorded response that has its stream.
RECORDED = "recorded"

Headers = list[tuple[str, str]]


@dataclass
class Recording:
    """The record of one HTTP exchange. `chunks`: (offset, length) of every piece of the body as it
    arrived, the offset in milliseconds since the request was sent."""

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
    # Bytes of the response; beyond them `Endless` is raised.
    limit: int | None = None
    # Stores the request, whose bytes leave after it has returned; None where nothing is stored.
    journal: Callable[[], Awaitable[None]] | None = None
    # Why it could not be stored: the request did not leave then.
    journal_error: Exception | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the status is no success."""
        return self.status is not None and self.status >= 300

    @property
    def response_body(self) -> bytes:
        return b"".join(self.pieces)

    def add(self, piece: bytes) -> None:
        """Appends a piece of the response's body."""
        since = (time.perf_counter() - (self.sent_at or 0.0)) * 1000
        self.chunks.append((since, len(piece)))
        self.pieces.append(piece)
        self.size += len(piece)

    async def store(self) -> None:
        """Stores the request. An error is kept: on its way up an SDK makes one of its own of it."""
        if self.journal is None:
            return
        try:
            await self.journal()
        except Exception as error:
            self.journal_error = error
            raise


recording: ContextVar[Recording | None] = ContextVar("recording", default=None)


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Passes requests on to `inner`, and records both directions in the current `recording`. A
    request is stored before its first byte leaves."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        record = recording.get()
        if record is None:
            return await self._inner.handle_async_request(request)
        record.method = request.method
        record.url = str(request.url)
        record.request_headers = masked(request.headers)
        record.request_body = await request.aread()
        await record.store()
        record.sent_at = time.perf_counter()
        response = await self._inner.handle_async_request(request)
        record.headers_at = time.perf_counter()
        record.status = response.status_code
        record.response_headers = masked(response.headers)
        if record.is_refused:
            # The SDK reads the body of an error at once, whatever it unpacks to.
            response.headers.pop("content-encoding", None)
        assert isinstance(response.stream, AiohttpResponseStream)
        response.stream = response.extensions[RECORDED] = _RecordedStream(response.stream, record)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _RecordedStream(httpx2.AsyncByteStream):
    """The body of a response as it arrives: at each step all that is there.

    Read from aiohttp directly: the generators of the library between cost more than reading it.
    """

    def __init__(self, inner: AiohttpResponseStream, record: Recording) -> None:
        self._inner = inner
        self._content = inner._aiohttp_response.content
        self._record = record

    async def __aiter__(self) -> AsyncIterator[bytes]:
        record = self._record
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._inner.aclose)
            stack.enter_context(map_aiohttp_exceptions())
            while piece := await self._content.readany():
                record.add(piece)
                if record.limit is not None and record.size > record.limit:
                    raise Endless(record.limit, evidence=piece)
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def received(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body of a recorded response, decompressed."""
    if "content-encoding" in response.headers:
        return response.aiter_bytes()
    stream: httpx2.AsyncByteStream = response.extensions[RECORDED]
    return aiter(stream)


def masked(headers: httpx2.Headers) -> Headers:
    """The headers in their order, secret values masked."""
    return [
        (name, MASK if name.lower() in MASKED_HEADERS else value)
        for name, value in headers.multi_items()
    ]
