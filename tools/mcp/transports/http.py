"""MCP over HTTP: an httpx2 client with our limits, and the SDK's streamable HTTP on it.

The addresses of requests are checked (`guard`), answers are bounded, compressed ones refused (a
few kilobytes can unpack to gigabytes), and streams slowed down. The last response that was no
success is kept, because the SDK's errors carry no status.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from http import HTTPStatus
from types import TracebackType
from typing import Any

import httpx2
from mcp_types import ErrorData, JSONRPCError

from languages.stored import stored
from limits.mcp import (
    MAX_FRAME_BYTES,
    MAX_HTTP_CONNECT_S,
    MAX_HTTP_SILENCE_S,
    MAX_REFUSALS,
    MAX_SESSION_END_S,
    MAX_STREAM_BURST,
    MAX_STREAM_RATE,
    MAX_STREAM_REOPEN_RATE,
    MAX_STREAM_REOPENS,
)
from tools import guard
from tools.errors import ConnectionFailed, Failure, FailureKind
from tools.mcp.masking import Masking
from tools.mcp.oauth import Provider
from tools.mcp.sdk import TransportStreams, streamable_http_client
from tools.mcp.transports.carriers import Refusal
from tools.mcp.transports.http_secrets import sent_secrets
from tools.mcp.transports.lines import (
    BOM,
    NOTE_NOT_FINITE,
    TOO_LARGE,
    addressed,
    finite,
    lacks_id,
    paired,
    too_large,
)
from tools.mcp.transports.stderr import Stderr
from tools.mcp.transports.throttle import Throttle
from tools.values.server_config import ServerConfig

LINE_BYTES = 64  # added to the length of each line, so that a flood of short lines is slow
JSON = {"content-type": "application/json"}
Note = Callable[[bytes], None]  # takes a line for the log of the session


class Web:
    """What a session over HTTP has of its own: its client, its log, and how it ended."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.masking = Masking(config.secrets)
        self.stderr = Stderr(self.masking)  # stays empty unless a response says what went wrong
        self.ended: Failure | None = None  # why the session ended, once that is known
        self.last_refusal: Failure | None = None  # of the last message, if it was refused
        self.session = ""  # its id, if the server gave one
        self._refusals: dict[str, Refusal] = {}  # by the id of the request
        self._auth: httpx2.Auth | None = None

    @property
    def ending(self) -> Failure | None:
        failure = self._failure or self.last_refusal
        return failure and self._masked(failure)

    @property
    def _failure(self) -> Failure | None:
        return self.ended or (self._auth.failure if isinstance(self._auth, Provider) else None)

    def refusal(self, request: str) -> Refusal | None:
        """How the request with this id was refused; a sign-in that failed says it better."""
        refusal = self._refusals.get(request)
        if refusal is None:
            return None
        return replace(refusal, failure=self._masked(self._failure or refusal.failure))

    def _masked(self, failure: Failure) -> Failure:
        return replace(failure, reason=self.masking.text(failure.reason))

    def client(self) -> httpx2.AsyncClient:
        """The client for this session's requests. Raises `ConnectionFailed` for an odd URL."""
        if why := guard.problem(self.config.url):
            raise ConnectionFailed(why)
        if self.config.sign_in is not None:
            self._auth = self.config.sign_in(self.config)
            if isinstance(self._auth, Provider):
                self._auth.masking = self.masking
        timeout = httpx2.Timeout(MAX_HTTP_CONNECT_S, read=MAX_HTTP_SILENCE_S)
        return httpx2.AsyncClient(
            headers={"Accept-Encoding": "identity"} | dict(self.config.headers),
            auth=self._auth,
            timeout=timeout,
            transport=transport(
                allow_private=self.config.allow_private,
                tells_addresses=self.config.tells_addresses,
                refused=self._refused,
                note=self.stderr.write,
            ),
            event_hooks={"request": [self._note_secrets], "response": [self._remember]},
        )

    async def _note_secrets(self, request: httpx2.Request) -> None:
        """Sees every request of the session as it is sent, those of the sign-in too."""
        marks = {name.lower(): mark for name, mark in self.config.marks}
        self.masking.hide_passing(sent_secrets(request, marks))

    async def _remember(self, response: httpx2.Response) -> None:
        """Keeps how a request with a message was refused; a refused GET does not matter."""
        self.session = response.headers.get("mcp-session-id") or self.session
        carries = response.request.method == "POST" or self.config.transport == "sse"
        if response.status_code >= 300 and carries:
            self.last_refusal = failure = status_failure(response)
            challenge = response.headers.get("www-authenticate", "")
            self.stderr.write(f"{failure.reason} {challenge}".strip().encode() + b"\n")
            await self._keep_refusal(response, failure)
        elif carries:
            self.last_refusal = None  # an old server refuses the probe for its era: all is well
            if self._refusals:  # the request may have succeeded with a token since
                self._refusals.pop(str(_message(response.request).get("id")), None)

    async def _keep_refusal(self, response: httpx2.Response, failure: Failure) -> None:
        """Keeps the refusal for the call, by the id of the request."""
        request = _message(response.request)
        number = request.get("id")
        if number is None or "method" not in request:
            return
        body = await _error_body(response)
        error = body.get("error")
        text = error.get("message") if isinstance(error, dict) else None
        if isinstance(text, str) and text:
            failure = replace(failure, reason=f"{failure.reason}: {text}")
        is_answer = error is not None and str(body.get("id")) == str(number)
        self._refusals[str(number)] = Refusal(response.status_code, failure, is_answer)
        for oldest in list(self._refusals)[:-MAX_REFUSALS]:
            del self._refusals[oldest]

    def _refused(self, error: guard.Refused) -> None:
        self.ended = error.failure


class HttpCarrier:
    """One session with a server behind a URL."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self._web = Web(config)
        self.masking, self.stderr = self._web.masking, self._web.stderr

    def ending(self) -> Failure | None:
        return self._web.ending

    def refusal(self, request: str) -> Refusal | None:
        return self._web.refusal(request)

    @property
    def session(self) -> str:
        return self._web.session

    async def __aenter__(self) -> TransportStreams:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(self._web.client())
            streams = await stack.enter_async_context(
                streamable_http_client(
                    self.config.url, http_client=client, max_sse_event_size=MAX_FRAME_BYTES
                )
            )
            self._stack = stack.pop_all()
        return streams

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)


def transport(
    *,
    allow_private: bool = False,
    tells_addresses: bool = False,
    refused: Callable[[guard.Refused], None] = lambda error: None,
    note: Note = lambda text: None,
) -> "LimitedTransport":
    """The way to a server, or to what a server names: guarded and limited.

    `refused` is called with the error of a request that was not sent, before it is raised; `note`
    with a line for the log about an answer that was repaired.
    """
    guarded = guard.Guarded(allow_private=allow_private, tells_addresses=tells_addresses)
    return LimitedTransport(guarded, refused, note)


class LimitedTransport(httpx2.AsyncBaseTransport):
    """Bounds what comes back. A body that is too long, or compressed, becomes an error answer to
    the request that it answers, so that other calls of the session go on."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        refused: Callable[[guard.Refused], None] = lambda error: None,
        note: Note = lambda text: None,
    ) -> None:
        self._inner = inner
        self._refused = refused
        self._note = note
        self._gets = Throttle(MAX_STREAM_REOPEN_RATE, most=MAX_STREAM_REOPENS)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            await self._gets.spend(1)
        try:
            async with asyncio.timeout(MAX_SESSION_END_S if request.method == "DELETE" else None):
                response = await self._inner.handle_async_request(request)
        except guard.Refused as error:
            self._refused(error)
            raise
        except TimeoutError:
            raise httpx2.ReadTimeout(stored("it does not take the end"), request=request) from None
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            return _uncompressed(response, request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        if kind == "text/event-stream":
            response.stream = _Slowed(response.stream, self._note)
        else:
            is_answer = response.is_success
            response.stream = _Limited(response.stream, self._note, request, is_answer=is_answer)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Limited(httpx2.AsyncByteStream):
    """A body of at most `MAX_FRAME_BYTES`. An error without an id answers the request; where HTTP
    says that it was refused, whether the server has read it is not known: the id becomes null."""

    def __init__(
        self, inner: httpx2.AsyncByteStream, note: Note, request: httpx2.Request, *, is_answer: bool
    ) -> None:
        self._inner = inner
        self._note = note
        self._request = request
        self._is_answer = is_answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks: list[bytes] = []
        length = 0
        async for chunk in self._inner:
            length += len(chunk)
            if length > MAX_FRAME_BYTES:
                yield _instead(self._request, too_large())
                return
            chunks.append(chunk)
        received = paired(b"".join(chunks).removeprefix(BOM))
        body = finite(received)
        if body != received:
            self._note(NOTE_NOT_FINITE)
        if lacks_id(body):
            body = addressed(body, _message(self._request).get("id") if self._is_answer else None)
        yield body

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Slowed(httpx2.AsyncByteStream):
    """A stream of events, which may go on for days; each event has its own limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, note: Note) -> None:
        self._inner = inner
        self._note = note
        self._volume = Throttle(MAX_STREAM_RATE, most=MAX_STREAM_BURST)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        has_begun = False  # whether a byte order mark is past
        partial_line = bytearray()  # may end within a character
        async for chunk in self._inner:
            await self._volume.spend(len(chunk) + LINE_BYTES * chunk.count(b"\n"))
            end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            if end:
                lines = paired(
                    (bytes(partial_line) + chunk[:end]).removeprefix(b"" if has_begun else BOM)
                )
                yield self._finite(lines)
                partial_line.clear()
                has_begun = True
            partial_line += chunk[end:]
            if len(partial_line) > MAX_FRAME_BYTES:  # the SDK refuses it
                yield bytes(partial_line)
                partial_line.clear()
        if partial_line:
            yield bytes(partial_line)

    def _finite(self, lines: bytes) -> bytes:
        """The lines with NaN and Infinity in the data of events replaced by texts."""
        if finite(lines) == lines:
            return lines
        parts = lines.splitlines(keepends=True)
        mended = b"".join(finite(part) if part.startswith(b"data") else part for part in parts)
        if mended != lines:
            self._note(NOTE_NOT_FINITE)
        return mended

    async def aclose(self) -> None:
        await self._inner.aclose()


def _uncompressed(response: httpx2.Response, request: httpx2.Request) -> httpx2.Response:
    """In place of a compressed one: its status and headers, if these are what counts."""
    if response.is_success:
        why = stored("the answer is compressed although that was declined")
        return httpx2.Response(200, headers=JSON, content=_instead(request, why))
    dropped = ("content-encoding", "content-length", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.items() if name not in dropped]
    return httpx2.Response(response.status_code, headers=headers)


def _instead(request: httpx2.Request, why: str) -> bytes:
    """An error answer to the message in `request`."""
    try:
        number = _message(request)["id"]
        error = ErrorData(code=TOO_LARGE, message=why)
        return JSONRPCError(jsonrpc="2.0", id=number, error=error).model_dump_json().encode()
    except (ValueError, LookupError):
        raise httpx2.RemoteProtocolError(why, request=request) from None


def _message(request: httpx2.Request) -> dict[str, Any]:
    """The JSON-RPC message that a request carries; empty if it carries none."""
    try:
        return _object(request.content)
    except httpx2.RequestNotRead:
        return {}


async def _error_body(response: httpx2.Response) -> dict[str, Any]:
    """The JSON of a response that the SDK reads too; empty if it is none."""
    if not response.headers.get("content-type", "").lower().startswith("application/json"):
        return {}
    try:
        return _object(await response.aread())
    except httpx2.HTTPError:
        return {}


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def status_failure(response: httpx2.Response) -> Failure:
    """A response that is no success; of a redirect's target without what may be secret in a URL."""
    status = response.status_code
    line = stored(
        "answered HTTP %(status)s %(status_2)s", status=status, status_2=_phrase(status)
    ).strip()
    failure = Failure(line, FailureKind.HTTP_STATUS, status)
    place = response.headers.get("location", "") if response.is_redirect else ""
    try:
        url = response.request.url.join(place).copy_with(query=None, fragment=None, userinfo=b"")
    except (httpx2.InvalidURL, ValueError):
        return failure
    if not place:
        return failure
    return Failure(f"{line} and points to {url}", FailureKind.REDIRECT, status)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
