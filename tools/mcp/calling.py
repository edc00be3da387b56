"""One call of a server's tool, from a configuration to a result. A server's failure never raises.

The text of each error result says whether the tool may have run, for the model and the person.
"""

import asyncio
import logging
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult

from limits.mcp import MAX_INPUT_ROUNDS
from limits.tools import MAX_QUESTIONS
from tools.definitions.schema_validation import misfit
from tools.errors import ConnectionFailed, Failure
from tools.mcp import pool
from tools.mcp.connection import CLOSED, Connection, failure_of, reason
from tools.mcp.elicitation import needed, pages_first
from tools.mcp.frames import about_call
from tools.mcp.masking import Masking
from tools.mcp.sdk import SdkError, sdk_error
from tools.mcp.transports.lines import TOO_LARGE, UNREADABLE
from tools.values.call import CallContext, ToolResult
from tools.values.questions import CANCEL, Answered, Asked, InputGiven, InputNeeded
from tools.values.server_config import ServerConfig
from tracing.formatting.text import with_full_stop

logger = logging.getLogger(__name__)

PAUSE_S = 0.2  # before a call is repeated for a server that asked no question


async def call_remote_tool(
    config: ServerConfig, tool: str, arguments: dict[str, Any], context: CallContext
) -> ToolResult:
    """The result by `context.deadline_s` or the server's own timeout, whichever is shorter.

    Raises only `CancelledError`, and what `context.before_send` raises.
    """
    remote_call = _RemoteCall(config, tool, arguments, context)
    task = asyncio.create_task(remote_call.run())
    try:
        # Not `asyncio.timeout`: the SDK may take seconds to cancel the call at a stuck server.
        await remote_call.clock.wait(task)
        if task.done():
            return _masked(task.result(), remote_call.masking)
        return remote_call.late()
    finally:
        if remote_call.sent:
            context.timing.answered()
            context.timing.met |= about_call(context.frames)
        if not task.done():
            task.cancel()
            task.add_done_callback(_swallow)
        remote_call.collect_stderr()


class _SessionForgotten(Exception):
    """The server does not know the session any more, and no second one was tried yet."""


class Clock:
    """A deadline in seconds, stopped while a person is asked."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._started = time.monotonic()
        self._stops = 0
        self._turned = asyncio.Event()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        if not self._stops:
            self._left -= time.monotonic() - self._started
        self._stops += 1
        self._turned.set()
        try:
            yield
        finally:
            self._stops -= 1
            self._started = time.monotonic()
            self._turned.set()

    async def wait(self, task: "asyncio.Task[Any]") -> None:
        """Waits until the task is done or the time is over."""
        while not task.done():
            self._turned.clear()
            left = None if self._stops else self._left - (time.monotonic() - self._started)
            if left is not None and left <= 0:
                return
            turned = asyncio.ensure_future(self._turned.wait())
            try:
                await asyncio.wait([task, turned], timeout=left, return_when=FIRST_COMPLETED)
            finally:
                turned.cancel()


class _RemoteCall:
    """The state of a call while it runs."""

    def __init__(
        self, config: ServerConfig, tool: str, arguments: dict[str, Any], context: CallContext
    ) -> None:
        self.config = config
        self.tool = tool
        self.arguments = arguments
        self.context = context
        self.deadline_s = min(context.deadline_s, config.timeout_s)
        self.clock = Clock(self.deadline_s)
        self.sent = False
        self.again = False  # whether a second session is being used
        self.forbidden: Exception | None = None  # raised by `before_send`
        self.connection: Connection | None = None
        self.stderr_mark = 0

    async def run(self) -> ToolResult:
        places = pool.of_loop()
        try:
            try:
                return await self._in_session(places)
            except _SessionForgotten:
                # The server refused the request and has not run it (MCP, "Session Management").
                return await self._in_session(places)
        except ConnectionFailed as error:
            self.context.stderr.extend(error.stderr.splitlines())
            return ToolResult.error(
                f"No connection to the server {self.config.name}: {with_full_stop(error.reason)} "
                f"{self.tool} was not run.",
                error.failure,
            )

    async def _in_session(self, places: pool.Pool) -> ToolResult:
        context = self.context
        context.timing.server = self.config.name
        async with places.connection(self.config, context.workspace, context.timing) as (
            session,
            is_new,
        ):
            self.connection = session
            self.stderr_mark = 0 if is_new else session.carrier.stderr.written
            if is_new:
                context.frames.extend(session.journal.opening)
            return await self._in_open_session(session)

    async def _in_open_session(self, session: Connection) -> ToolResult:
        context, asker = self.context, self._ask if self.context.ask else None
        try:
            with session.people.may_be_asked(context.caller or context.call_id, asker):
                return await self._until_result(session)
        except MCPError as error:
            pages = pages_first(error)
            if pages is not None and context.keeps_questions:
                return self._needing(pages, _asked_before(context.given))
            return self._refused(error, session)
        except ConnectionFailed:
            raise
        except Exception as error:
            if error is self.forbidden:
                raise
            if isinstance(error, RuntimeError):  # structured content against the output schema
                return self._unusable(str(error))
            return self._unusable(reason(error))

    async def _until_result(self, session: Connection) -> ToolResult:
        """The result. A server's questions are asked here, unless the caller stores them
        (`keeps_questions`)."""
        answers_so_far = self.context.given
        for _ in range(MAX_INPUT_ROUNDS):
            answer = await session.send_call(
                self.tool,
                self.arguments,
                self.context.frames,
                self._before_send,
                self._progress if self.context.progress else None,
                answers_so_far,
                self.context.traceparent,
            )
            if isinstance(answer, CallToolResult):
                return await self._checked(as_result(answer), session)
            try:
                needs = needed(answer)
            except ValueError as error:
                return ToolResult.error(
                    f"{self._who()} asks for {error}. {self.tool} has no result."
                )
            result, before = (
                self._needing(needs, _asked_before(answers_so_far)),
                _asked_before(answers_so_far),
            )
            if result.is_error or (needs.asked and self.context.keeps_questions):
                return result
            if not needs.asked:
                await asyncio.sleep(PAUSE_S)  # it asks nothing, and is called again
            answers = {one.key: await self._ask(one) for one in needs.asked}
            answers_so_far = InputGiven(needs.state, answers, before + len(answers))
        return ToolResult.error(f"{self._who()} asked {MAX_INPUT_ROUNDS} times and gave no result.")

    async def _checked(self, result: ToolResult, session: Connection) -> ToolResult:
        """The result; an error that contains it if structured content breaks the listed output
        schema (MCP, "Output Schema")."""
        if result.is_error and not result.content and result.structured is None:
            return ToolResult.error(f"{self._who()} says that {self.tool} failed, but not why.")
        schemas_listed = (one.output_schema for one in session.tools if one.name == self.tool)
        schema = next(schemas_listed, None)
        if schema is None or result.is_error:
            return result
        why = await asyncio.to_thread(misfit, schema, result.structured)
        if not why:
            return result
        unusable = self._unusable(why)
        return replace(
            unusable, content=[*unusable.content, *result.content], structured=result.structured
        )

    def _needing(self, needs: InputNeeded, asked: int) -> ToolResult:
        """A result that needs answers first; an error if that makes too many questions together
        with those `asked` before."""
        if asked + len(needs.asked) > MAX_QUESTIONS:
            return ToolResult.error(
                f"{self._who()} asks for more than {MAX_QUESTIONS} answers. "
                f"{self.tool} has no result."
            )
        return ToolResult([], needs=needs)

    async def _ask(self, question: Asked) -> Answered:
        """Asks the person; the call's clock stands still meanwhile."""
        if self.context.ask is None:
            return CANCEL
        with self.clock.stopped():
            return await self.context.ask(question)

    async def _progress(self, progress: float, total: float | None, message: str | None) -> None:
        if self.context.progress is not None:
            self.context.progress(progress, total, message or "")

    async def _before_send(self) -> None:
        if self.sent:
            return
        try:
            await self.context.before_send()
        except Exception as error:
            self.forbidden = error
            raise
        self.sent = True
        self.context.timing.asked()

    def _refused(self, error: MCPError, session: Connection) -> ToolResult:
        if error.code in (TOO_LARGE, UNREADABLE):
            return self._unusable(error.message)
        if session.forgot(error, self.context.frames):
            session.retire()
            if not self.again:
                self.again = True
                raise _SessionForgotten
        if self.context.given is not None and error.code == INVALID_PARAMS:
            return ToolResult.error(
                f"{self._who()} did not take the answer to its question ({error.message}). It "
                f"probably came too late. {self.tool} has no result; make the call again."
            )
        if refusal := session.refusal(self.context.frames):
            return self._failed(refusal.failure)
        if not self._is_cut(error):
            return self._failed(failure_of(error))
        ending = session.carrier.ending()
        why = ending.reason if ending else _broken_stream(error) or "closed by the server"
        return ToolResult.not_known(
            f"The connection to the server {self.config.name} ended during the call ({why})."
        )

    def _failed(self, failure: Failure) -> ToolResult:
        return ToolResult.error(f"{self._who()} {failure.reason.rstrip('.')}.", failure)

    def _is_cut(self, error: MCPError) -> bool:
        """Whether the session, or the stream of the answer, ended before the answer came. A server
        may use the SDK's code for this in an error of its own."""
        is_answered = about_call(self.context.frames).get("error_code") == str(CLOSED)
        return error.code == CLOSED and (not is_answered or bool(_broken_stream(error)))

    def _unusable(self, why: str) -> ToolResult:
        return ToolResult.error(
            f"{self._who()} ran {self.tool}, but its answer cannot be used: {why}"
        )

    def late(self) -> ToolResult:
        """The result of a call whose deadline has passed."""
        within = f"within {self.deadline_s:g} s"
        self.context.timing.failed(f"no session {within}")
        if not self.sent:
            return ToolResult.error(
                f"No connection to the server {self.config.name} {within}. {self.tool} was not run."
            )
        return ToolResult.not_known(f"{self._who()} did not answer {within}.")

    @property
    def masking(self) -> Masking:
        """Masks what the session sent as a secret."""
        return self.connection.masking if self.connection else Masking(self.config.secrets)

    def collect_stderr(self) -> None:
        if self.connection is not None:
            text = self.connection.carrier.stderr.since(self.stderr_mark)
            self.context.stderr.extend(text.splitlines())

    def _who(self) -> str:
        return f"The server {self.config.name}"


def _asked_before(given: InputGiven | None) -> int:
    return given.asked if given else 0


def _broken_stream(error: MCPError) -> str:
    """The SDK's message if the stream of one answer broke while the session goes on; else empty."""
    is_broken = sdk_error(error.code, error.message) is SdkError.STREAM_BROKEN
    return error.message if is_broken else ""


def as_result(answer: CallToolResult) -> ToolResult:
    """The whole answer as JSON values."""
    body = answer.model_dump(by_alias=True, mode="json", exclude_unset=True)
    return ToolResult(
        content=body.get("content") or [],
        structured=body.get("structuredContent"),
        is_error=bool(answer.is_error),
    )


def _masked(result: ToolResult, masking: Masking) -> ToolResult:
    """Messages come masked (`frames`); our own sentences, which are errors, may quote more."""
    if not result.is_error:
        return result
    failure = result.failure
    return replace(
        result,
        content=masking(result.content),
        structured=masking(result.structured),
        failure=failure and replace(failure, reason=masking.text(failure.reason)),
    )


def _swallow(task: asyncio.Task[ToolResult]) -> None:
    """Reads the outcome of an abandoned call, which asyncio would log as never retrieved."""
    if not task.cancelled() and (error := task.exception()):
        logger.debug("an abandoned call ended with %r", error)
