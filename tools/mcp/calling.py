"""One call of a server's tool, from a configuration to a result; nothing that a server does raises.

The text of each failure says whether the tool may have run: the model and the person decide on it.
"""

import asyncio
import logging
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_REQUEST, CallToolResult

from tools.calls import CallContext, ToolResult
from tools.errors import ConnectionFailed
from tools.mcp import pool
from tools.mcp.config import ServerConfig
from tools.mcp.connection import CLOSED, Connection, reason
from tools.mcp.lines import TOO_LARGE

logger = logging.getLogger(__name__)

SESSION_GONE = "Session terminated"  # how the SDK words HTTP 404 within a session


async def call(
    config: ServerConfig, tool: str, arguments: dict[str, Any], context: CallContext
) -> ToolResult:
    """The result by `context.deadline_s` or the server's own timeout, whichever is shorter.

    Raises only `CancelledError`, and what `context.before_send` raises.
    """
    attempt = _Attempt(config, tool, arguments, context)
    task = asyncio.create_task(attempt.run())
    try:
        # Not `asyncio.timeout`: the SDK may take seconds to tell a stuck server of the end.
        await asyncio.wait([task], timeout=attempt.deadline_s)
        if task.done():
            return task.result()
        return attempt.late()
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(_swallow)
        attempt.collect_stderr()


class _Attempt:
    """What is known of a call while it runs."""

    def __init__(
        self, config: ServerConfig, tool: str, arguments: dict[str, Any], context: CallContext
    ) -> None:
        self.config = config
        self.tool = tool
        self.arguments = arguments
        self.context = context
        self.deadline_s = min(context.deadline_s, config.timeout_s)
        self.sent = False
        self.forbidden: Exception | None = None
        self.connection: Connection | None = None
        self.stderr_mark = 0

    async def run(self) -> ToolResult:
        places = pool.of_loop()
        try:
            async with places.connection(self.config, self.context.workspace) as (session, is_new):
                self.connection = session
                self.stderr_mark = 0 if is_new else session.carrier.stderr.written
                if is_new:
                    self.context.frames.extend(session.journal.opening)
                return await self._call(session)
        except ConnectionFailed as failure:
            self.context.stderr.extend(failure.stderr.splitlines())
            return ToolResult.error(
                f"No connection to the server {self.config.name}: {failure.reason}. "
                f"{self.tool} was not run."
            )

    async def _call(self, session: Connection) -> ToolResult:
        try:
            answer = await session.call(
                self.tool, self.arguments, self.context.frames, self._before_send
            )
            return as_result(answer)
        except MCPError as error:
            return self._refused(error, session)
        except ConnectionFailed:
            raise
        except Exception as error:
            if error is self.forbidden:
                raise
            if isinstance(error, RuntimeError):  # structured content against the output schema
                return self._unusable(str(error))
            return self._unusable(reason(error))

    async def _before_send(self) -> None:
        try:
            await self.context.before_send()
        except Exception as error:
            self.forbidden = error
            raise
        self.sent = True

    def _refused(self, error: MCPError, session: Connection) -> ToolResult:
        if error.code == TOO_LARGE:
            return self._unusable(error.message)
        if error.code == INVALID_REQUEST and error.message == SESSION_GONE:
            session.retire()  # the server forgot it; the next call opens a new one
        if error.code != CLOSED:
            return ToolResult.error(f"{self._who()} {session.carrier.ending() or reason(error)}.")
        ending = session.carrier.ending() or "closed by the server"
        return ToolResult.error(
            f"The connection to the server {self.config.name} ended during the call ({ending}). "
            f"Whether {self.tool} ran is not known.",
            unknown=True,
        )

    def _unusable(self, why: str) -> ToolResult:
        return ToolResult.error(
            f"{self._who()} ran {self.tool}, but its answer cannot be used: {why}"
        )

    def late(self) -> ToolResult:
        """The deadline passed first."""
        within = f"within {self.deadline_s:g} s"
        if not self.sent:
            return ToolResult.error(
                f"No connection to the server {self.config.name} {within}. {self.tool} was not run."
            )
        return ToolResult.error(
            f"{self._who()} did not answer {within}. Whether {self.tool} ran is not known.",
            unknown=True,
        )

    def collect_stderr(self) -> None:
        if self.connection is not None:
            text = self.connection.carrier.stderr.since(self.stderr_mark)
            self.context.stderr.extend(text.splitlines())

    def _who(self) -> str:
        return f"The server {self.config.name}"


def as_result(answer: CallToolResult) -> ToolResult:
    """What came back, whole, as JSON values."""
    body = answer.model_dump(by_alias=True, mode="json", exclude_unset=True)
    return ToolResult(
        content=body.get("content") or [],
        structured=body.get("structuredContent"),
        is_error=bool(answer.is_error),
    )


def _swallow(task: asyncio.Task[ToolResult]) -> None:
    """An abandoned call's outcome: nobody waits for it, asyncio would log it as never read."""
    if not task.cancelled() and (error := task.exception()):
        logger.debug("an abandoned call ended with %r", error)
