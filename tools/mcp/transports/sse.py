"""MCP over HTTP with SSE, the transport of 2024-11-05: one stream down, a POST for each message up.

Our own, not the SDK's `sse_client`, which cannot be told the size of an event, and which waits for
an answer until the deadline when the server has refused the POST. Redirects stay in the origin.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from urllib.parse import urljoin

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
)

from languages.stored import stored
from limits.mcp import MAX_FRAME_BYTES, MAX_GARBAGE_EVENTS, MAX_HTTP_CONNECT_S, MAX_POST_S
from tools.errors import ConnectionFailed, Failure, FailureKind
from tools.mcp.sdk import SessionMessage, TransportStreams, request_within_origin, sse_within_origin
from tools.mcp.transports.carriers import Refusal
from tools.mcp.transports.http import Web
from tools.mcp.transports.http_failures import BROKEN_OFF, http_failure
from tools.mcp.transports.lines import parse
from tools.values.server_config import ServerConfig

ToSession = MemoryObjectSendStream[SessionMessage | Exception]
FromSession = MemoryObjectReceiveStream[SessionMessage]


class SseCarrier:
    """One session with an old server behind a URL."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self._web = Web(config)
        self.masking, self.stderr = self._web.masking, self._web.stderr
        self._tasks: list[asyncio.Task[None]] = []

    def ending(self) -> Failure | None:
        return self._web.ending

    def refusal(self, request: str) -> Refusal | None:
        return self._web.refusal(request)

    async def __aenter__(self) -> TransportStreams:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(self._web.client())
            # An idle stream may be silent for hours.
            client.timeout = httpx2.Timeout(MAX_HTTP_CONNECT_S, read=None)
            source = await stack.enter_async_context(
                sse_within_origin(client, self.config.url, max_event_size=MAX_FRAME_BYTES)
            )
            _check(source.response)
            events = aiter(source)
            endpoint = await self._endpoint(events)
            to_session, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](
                0
            )
            write_stream, from_session = anyio.create_memory_object_stream[SessionMessage](0)
            post = _Post(self._web, client, endpoint, to_session)
            self._tasks = [
                asyncio.create_task(self._read(events, to_session)),
                asyncio.create_task(self._write(post, from_session)),
            ]
            self._stack = stack.pop_all()
        return read_stream, write_stream

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in (running := list(self._tasks)):
            task.cancel()
        await asyncio.wait(running)
        await self._stack.aclose()

    async def _endpoint(self, events: AsyncIterator[httpx2.ServerSentEvent]) -> str:
        """The URL for messages, which the first event names."""
        async for event in events:
            if event.event == "endpoint":
                endpoint = urljoin(self.config.url, event.data.strip())
                if _origin(endpoint) != _origin(self.config.url):
                    raise ConnectionFailed(
                        stored("names an endpoint at another address than its own")
                    )
                return endpoint
        raise ConnectionFailed(stored("closed the stream before it named its endpoint"))

    async def _read(
        self, events: AsyncIterator[httpx2.ServerSentEvent], to_session: ToSession
    ) -> None:
        try:
            await self._read_events(events, to_session)
            self._web.ended = self._web.ended or Failure(stored("closed the stream"))
        except (httpx2.HTTPError, httpx2.SSEError) as error:
            self._web.ended = self._web.ended or http_failure(error)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session ended it, or `_write` did
        finally:
            to_session.close()

    async def _read_events(
        self, events: AsyncIterator[httpx2.ServerSentEvent], to_session: ToSession
    ) -> None:
        garbage = 0
        async for event in events:
            data = event.data.encode(errors="replace")
            if event.event == "message" and (messages := parse(data)):
                garbage = 0
                for message in messages:
                    await to_session.send(message)
            elif data:
                garbage += 1
                self.stderr.write(data[:1000] + b"\n")
                if garbage > MAX_GARBAGE_EVENTS:
                    self._web.ended = Failure(stored("sends events that are not MCP"))
                    return

    async def _write(self, post: "_Post", from_session: FromSession) -> None:
        """Sends messages in order, without waiting for the answers to requests."""
        async for item in from_session:
            if isinstance(item.message, JSONRPCRequest):
                task = asyncio.create_task(post.send(item.message))
                self._tasks.append(task)
                task.add_done_callback(self._tasks.remove)
            else:
                await post.send(item.message)


class _Post:
    """Sends messages to a session's endpoint."""

    def __init__(
        self, web: Web, client: httpx2.AsyncClient, endpoint: str, to_session: ToSession
    ) -> None:
        self._web = web
        self._client = client
        self._endpoint = endpoint
        self._to_session = to_session

    async def send(self, message: JSONRPCMessage) -> None:
        """A refused request is answered with an error; a broken connection ends the session."""
        body = message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            answer = await request_within_origin(
                self._client,
                "POST",
                self._endpoint,
                content=body.encode(errors="replace"),
                headers={"Content-Type": "application/json"},
                timeout=MAX_POST_S,
            )
            if isinstance(message, JSONRPCRequest) and not answer.is_success:
                await self._to_session.send(SessionMessage(_refused(message, answer)))
        except httpx2.HTTPError as error:
            self._web.ended = self._web.ended or _not_taken(error)
            self._to_session.close()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session has ended meanwhile


def _not_taken(error: httpx2.HTTPError) -> Failure:
    failure = http_failure(error) or BROKEN_OFF
    return replace(
        failure, reason=stored("did not take a message: it %(reason)s", reason=failure.reason)
    )


def _refused(request: JSONRPCRequest, answer: httpx2.Response) -> JSONRPCError:
    if answer.status_code == 404:  # as the SDK says it of the newer transport
        error = ErrorData(code=INVALID_REQUEST, message="Session terminated")
    else:
        error = ErrorData(code=INTERNAL_ERROR, message=f"HTTP {answer.status_code}")
    return JSONRPCError(jsonrpc="2.0", id=request.id, error=error)


def _check(response: httpx2.Response) -> None:
    kind = response.headers.get("content-type", "nothing").partition(";")[0].strip().lower()
    if not response.is_success:
        status = response.status_code
        raise ConnectionFailed(
            stored("answered HTTP %(status)s", status=status), FailureKind.HTTP_STATUS, status
        )
    if kind != "text/event-stream":
        is_page = kind == "text/html"
        raise ConnectionFailed(
            stored("answered with %(kind)s, which is not an event stream", kind=kind),
            FailureKind.WEB_PAGE if is_page else FailureKind.NOT_EVENT_STREAM,
        )


def _origin(url: str) -> tuple[str, str, int | None]:
    parsed = httpx2.URL(url)
    return parsed.scheme, parsed.host, parsed.port
