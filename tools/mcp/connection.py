"""One open MCP session.

anyio wants a session entered and left by the same task, and a failed HTTP request may end that
task; so one owner task holds the session open and does nothing else, calls run in tasks of their
own, and the owner's end marks the connection as dead. A dead one is never revived.
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit

import mcp_types
from mcp import Client, MCPError
from pydantic import ValidationError

from languages.stored import stored
from limits.mcp import MAX_CONNECT_S, MAX_IDLE_S
from tools.errors import ConnectionFailed, Failure, FailureKind
from tools.mcp import logs
from tools.mcp.changes import Changes
from tools.mcp.elicitation import People, responses
from tools.mcp.frames import CALL_KEY, Journal, Recording, request_id
from tools.mcp.sdk import (
    ProgressFnT,
    SdkError,
    is_about_session,
    sdk_error,
    unexpected_content_type,
)
from tools.mcp.tool_list import ToolList, listed_tools
from tools.mcp.transports import http_failures
from tools.mcp.transports.carriers import Carrier, Refusal
from tools.mcp.transports.http import HttpCarrier
from tools.mcp.transports.lines import TOO_LARGE, UNREADABLE
from tools.mcp.transports.sse import SseCarrier
from tools.mcp.transports.stdio import StdioCarrier
from tools.values.call import Frame
from tools.values.questions import InputGiven
from tools.values.secrets import SHORTEST_SECRET
from tools.values.server_config import ServerConfig

CARRIERS: dict[str, Callable[[ServerConfig], Carrier]] = {
    "stdio": StdioCarrier,
    "http": HttpCarrier,
    "sse": SseCarrier,
}
CLIENT_INFO = mcp_types.Implementation(name="roundtrip", title="Roundtrip", version="1")
# What the SDK uses when it stops waiting because the session is gone.
CLOSED = mcp_types.CONNECTION_CLOSED
OVER = Failure(stored("the session has ended"))
NOT_MCP = stored("answered with something that is not MCP")


class Connection:
    """A session with the server of `config`, being opened from the start. Lives on the loop."""

    def __init__(
        self,
        config: ServerConfig,
        *,
        connect_s: float = MAX_CONNECT_S,
        keeps_log: bool = False,
        registered: ServerConfig | None = None,
        relisted: "Callable[[Connection], Awaitable[None]] | None" = None,
    ) -> None:
        self.config = config
        self.registered = registered or config  # with its placeholders
        self.carrier = CARRIERS[config.transport](config)
        self.masking = self.carrier.masking
        self.journal = Journal(self.masking)
        self._changes = Changes(config.name, self._keep_list)
        self._relisted = relisted
        self.has_changed = False  # whether its tools differ from those when it was opened
        self.people = People(self.hide)
        self._list = ToolList()
        self.calls = 0
        self.used = self._began = time.monotonic()
        self.failure: Failure | None = None
        self.opened_ms = 0
        self._client: Client | None = None
        self._is_retired = False
        self._is_watched = False
        self._connect_s = max(connect_s, config.timeout_s)
        self._settled = asyncio.Event()  # open, or failed
        self._owner = asyncio.create_task(self._own(), name=f"mcp {config.name}")
        if keeps_log:
            log = asyncio.create_task(logs.follow(config.name, self.carrier.stderr))
            self._owner.add_done_callback(lambda _: log.cancel())

    @property
    def is_dead(self) -> bool:
        """Whether it takes no more calls."""
        over = self._client is None or self.journal.ended.is_set() or self._is_retired
        return self._settled.is_set() and over

    @property
    def is_idle(self) -> bool:
        return self._settled.is_set() and not self.calls

    @property
    def started_ms(self) -> int | None:
        """Milliseconds until the first message of the server; None before that."""
        heard = self.journal.heard
        return None if heard is None else round((heard - self._began) * 1000)

    async def opened(self) -> Client:
        """The SDK's client once the session is open. Raises `ConnectionFailed`."""
        await self._settled.wait()
        if self._client is None or self.journal.ended.is_set():
            failure = self.failure or OVER
            failure = replace(failure, reason=self.masking.text(failure.reason))
            raise ConnectionFailed.of(failure, self.carrier.stderr.since())
        return self._client

    @property
    def tools(self) -> Sequence[mcp_types.Tool]:
        """The list of tools that the server gave last in this session."""
        return self._list.tools

    @property
    def list_notes(self) -> list[str]:
        """Sentences about tools that the list lacks."""
        return [*([self._list.note] if self._list.note else []), *self.journal.inbound.left_out]

    def when_over(self, tell: Callable[[str], None]) -> None:
        """Has `tell` called in a thread with the server's name when the session ends by itself,
        but not at the end of the process."""
        if not self._is_watched:
            self._is_watched = True
            self._owner.add_done_callback(partial(_in_thread, tell, self.config.name))

    async def _keep_list(self, listed: ToolList) -> None:
        self._list, self.has_changed = listed, True
        if self._relisted is not None:
            await self._relisted(self)

    @property
    def place(self) -> dict[str, str | int]:
        """Transport, host, port and session id, as far as they are known."""
        own = self.carrier.session if isinstance(self.carrier, HttpCarrier) else ""
        session = self.carrier.masking.text(own)
        parts = urlsplit(self.config.url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        known = {
            "transport": self.config.transport,
            "host": parts.hostname,
            "port": port,
            "session": session,
        }
        return {name: value for name, value in known.items() if value}

    def hide(self, secrets: Iterable[str]) -> None:
        """Masks secrets that a person entered in a form: in any text, if they are long enough."""
        given = set(secrets)
        self.journal.secrets |= given
        self.masking.hide(one for one in given if len(one) >= SHORTEST_SECRET)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Not idle until the block ends."""
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1
            self.used = time.monotonic()
            self._end_if_retired()

    def retire(self) -> None:
        """Takes no more calls; the session ends in the background after the last open one."""
        self._is_retired = True
        self._end_if_retired()

    def _end_if_retired(self) -> None:
        if self._is_retired and not self.calls:
            self.journal.ended.set()

    def refusal(self, frames: Sequence[Frame]) -> Refusal | None:
        """How the last request among these frames was refused, where the transport knows."""
        return self.carrier.refusal(request_id(frames))

    def forgot(self, error: MCPError, frames: Sequence[Frame]) -> bool:
        """Whether the server refused a request because it does not know this session any more.

        By the specification it answers HTTP 404; the servers of the TypeScript SDK answer 400, and
        say why in an error that names no request. One that names the request is the server's
        answer to it, unless it speaks of the session.
        """
        refusal = self.refusal(frames)
        if refusal is None or refusal.status not in (400, 404):
            return False
        if not refusal.is_answer:
            return True
        is_unsupported = error.code == mcp_types.UNSUPPORTED_PROTOCOL_VERSION
        return is_unsupported or is_about_session(error.message)

    async def close(self) -> None:
        """End the session and wait until its process or connection is gone."""
        self.journal.ended.set()
        if not self._settled.is_set():  # it may be waiting for the server
            self._owner.cancel()
        await asyncio.wait([self._owner])

    @contextmanager
    def recorded(
        self, frames: list[Frame], traceparent: str = ""
    ) -> Iterator[mcp_types.RequestParamsMeta]:
        """The `_meta` of a request whose messages go to `frames` until the block ends."""
        key = uuid.uuid4().hex
        with self.journal.record_call(key, frames):
            yield _meta(key, traceparent)

    async def send_call(
        self,
        tool: str,
        arguments: dict[str, Any],
        frames: list[Frame],
        before_send: Callable[[], Awaitable[None]],
        progress: ProgressFnT | None = None,
        given: InputGiven | None = None,
        traceparent: str = "",
    ) -> mcp_types.CallToolResult | mcp_types.InputRequiredResult:
        """Calls `tool`, with the answers `given` if the server asked for some before. Raises what
        the SDK raises. Cancelling this cancels the call at the server."""
        client = await self.opened()
        self.hide(given.secrets if given else ())
        await before_send()

        async def send() -> mcp_types.CallToolResult | mcp_types.InputRequiredResult:
            return await client.session.call_tool(
                tool,
                arguments,
                progress_callback=progress,
                input_responses=responses(given),
                request_state=given.state or None if given else None,
                meta=meta,
                allow_input_required=True,
            )

        with self.recorded(frames, traceparent) as meta:
            try:
                return await send()
            except MCPError as error:
                if error.code != mcp_types.HEADER_MISMATCH:
                    raise
                await listed_tools(client)  # the schema has changed since; nothing was run
                return await send()

    async def _own(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self._connect_s):
                    client = await stack.enter_async_context(self._new_client())
                    self.journal.inbound.protocol = client.protocol_version
                    self._list = await listed_tools(client)
                # Results are checked by `calling`: the SDK would check on the loop, and drop them.
                client.session.validate_tool_result = _unvalidated  # type: ignore[method-assign]
                self._client = client
                self.opened_ms = round((time.monotonic() - self._began) * 1000)
                self._settled.set()
                following = asyncio.create_task(self._changes.follow(client, self.tools))
                try:
                    await self._until_over()
                finally:
                    following.cancel()
                    self._client = None  # before the way out, which takes time
        except (Exception, asyncio.CancelledError) as error:
            # Any error, in whatever group, ends the session, since this task is the session.
            self.failure = self.carrier.ending() or failure_of(error)
            if self._owner.cancelling():
                self.failure = self.carrier.ending()
                raise
        finally:
            self.failure = self.failure or self.carrier.ending() or OVER
            self._client = None
            self.journal.ended.set()
            self._settled.set()

    def _new_client(self) -> Client:
        transport = Recording(self.carrier, self.journal)
        # No cache: a changed list must be seen at once, and only this connection lists.
        return Client(
            transport,
            client_info=CLIENT_INFO,
            mode=self.config.connect_mode,
            cache=None,
            elicitation_callback=self.people.elicit,
            message_handler=self._changes.hear,
        )

    async def _until_over(self) -> None:
        """Waits until the stream ends, `close` is called, or no call came for `MAX_IDLE_S`."""
        while not self.journal.ended.is_set():
            left = MAX_IDLE_S if self.calls else self.used + MAX_IDLE_S - time.monotonic()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(self.journal.ended.wait(), left)
            except TimeoutError:
                continue


def _in_thread(tell: Callable[[str], None], name: str, owner: "asyncio.Task[None]") -> None:
    if not owner.cancelled():
        owner.get_loop().run_in_executor(None, tell, name)


async def _unvalidated(name: str, result: mcp_types.CallToolResult) -> None:
    """Replaces the SDK's check of structured content."""


def _meta(key: str, traceparent: str) -> mcp_types.RequestParamsMeta:
    parent = {"traceparent": traceparent} if traceparent else {}
    return cast("mcp_types.RequestParamsMeta", {CALL_KEY: key, **parent})


def failure_of(error: BaseException) -> Failure:
    """Why the server could not be used, by the innermost cause."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case ConnectionFailed():
            return error.failure
        case TimeoutError():
            return Failure(stored("did not answer in time"), FailureKind.TIMEOUT)
        case MCPError():
            return _answered_with(error)
        case ValidationError():
            problem = _first_problem(error)
            return Failure(f"{NOT_MCP}: {problem}", FailureKind.NOT_MCP)
    if failure := http_failures.http_failure(error):
        return failure
    if isinstance(error, OSError) and error.strerror:
        return Failure(stored("cannot be used: %(reason)s", reason=error.strerror))
    text = str(error)
    return Failure(
        stored("cannot be used: %(text)s", text=text)
        if text
        else stored("failed with %(name)s", name=type(error).__name__)
    )


def reason(error: BaseException) -> str:
    """`failure_of` in words, as the predicate of a sentence about the server."""
    return failure_of(error).reason


def _answered_with(error: MCPError) -> Failure:
    if error.code in (TOO_LARGE, UNREADABLE):
        kind = FailureKind.NOT_MCP if error.code == UNREADABLE else FailureKind.OTHER
        return Failure(
            stored("gave an answer that cannot be used: %(message)s", message=error.message), kind
        )
    match sdk_error(error.code, error.message):
        case SdkError.CLOSED:
            return Failure(stored("closed the connection"))
        case SdkError.UNPARSED:
            return Failure(NOT_MCP, FailureKind.NOT_MCP)
        case SdkError.CONTENT_TYPE:
            media_type = unexpected_content_type(error.message)
            kind = FailureKind.WEB_PAGE if media_type == "text/html" else FailureKind.NOT_MCP
            return Failure(
                stored(
                    "answered with %(type)s, which is not MCP", type=media_type or "an unknown type"
                ),
                kind,
            )
        case SdkError.NOT_ANSWERED:
            accepted = stored("took the request and gave no answer (202 Accepted)")
            return Failure(accepted, FailureKind.NO_ANSWER, 202)
    return Failure(
        stored("answered with error %(code)s: %(message)s", code=error.code, message=error.message)
    )


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
