"""MCP over the standard streams of a child process.

Our own, not the SDK's `stdio_client`, because a server must not be able to fill our memory or hold
our loop: messages have a largest size (an answer that is too long becomes an error answer), floods
are slowed down, and lines that are no messages go to the log. Bad UTF-8 is replaced: one bad byte
would hang every later call. Framing and shutdown: MCP 2025-11-25, "stdio" and "Lifecycle".
"""

import asyncio
import contextlib
from dataclasses import replace
from types import TracebackType

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from django.conf import settings

from languages.stored import stored
from limits.mcp import (
    MAX_GARBAGE_BYTES,
    MAX_LINE_BYTES,
    MAX_PIPE_DRAIN_S,
    MAX_STDERR_RATE,
    MAX_STDOUT_RATE,
)
from tools.errors import ConnectionFailed, Failure, FailureKind
from tools.mcp.masking import Masking
from tools.mcp.sdk import SessionMessage, TransportStreams
from tools.mcp.transports import processes
from tools.mcp.transports.carriers import Refusal
from tools.mcp.transports.exit_message import last_words
from tools.mcp.transports.lines import NOTE_NOT_FINITE, Lines, finite, is_unreadable, parse
from tools.mcp.transports.stderr import Stderr
from tools.mcp.transports.throttle import Throttle
from tools.values.server_config import ServerConfig

READ_BYTES = 256 * 1024

ToSession = MemoryObjectSendStream[SessionMessage | Exception]
FromSession = MemoryObjectReceiveStream[SessionMessage]


class StdioCarrier:
    """One run of a server's program."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.masking = Masking(config.secrets)
        self.stderr = Stderr(self.masking)
        self._ending: Failure | None = None

    def ending(self) -> Failure | None:
        """Why the session ended; for a program with its last line of stderr."""
        ending = self._ending
        if ending is None or ending.kind not in (FailureKind.EXITED, FailureKind.KILLED):
            return ending
        reason = ": ".join(filter(None, [ending.reason, last_words(self.stderr.since())]))
        return replace(ending, reason=reason)

    def refusal(self, request: str) -> Refusal | None:
        return None

    async def __aenter__(self) -> TransportStreams:
        self._process = await processes.start(self.config, READ_BYTES)
        self._entry = processes.Ledger(settings.HOME / "children").enter(self._process.pid)
        to_session, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write_stream, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        self._logging = asyncio.create_task(self._log())
        self._tasks = [
            self._logging,
            asyncio.create_task(self._read(to_session)),
            asyncio.create_task(self._write(from_session, to_session)),
            asyncio.create_task(self._watch(to_session)),
        ]
        return read_stream, write_stream

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks[1:]:
            task.cancel()
        try:
            await processes.stop(self._process)
            # The last line of stderr is often the reason of a failed start.
            await asyncio.wait([self._logging], timeout=MAX_PIPE_DRAIN_S)
        finally:
            processes.kill_group(self._process.pid)
            self._entry.unlink(missing_ok=True)
            self._logging.cancel()

    async def _read(self, to_session: ToSession) -> None:
        try:
            await self._read_lines(to_session)
            # The exit code is known a moment after the pipe's end; the session asks for it then.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(processes.gone(self._process), MAX_PIPE_DRAIN_S)
            exit_code = self._process.returncode
            self._ending = processes.ending(exit_code) or Failure(stored("closed its stdout"))
        except ConnectionFailed as error:
            self._ending = error.failure
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session ended it, or `_watch` did
        finally:
            to_session.close()

    async def _read_lines(self, to_session: ToSession) -> None:
        assert self._process.stdout is not None
        lines, garbage = Lines(), 0
        volume = Throttle(MAX_STDOUT_RATE)
        while chunk := await self._process.stdout.read(READ_BYTES):
            await volume.spend(len(chunk))
            for line in lines.feed(chunk):
                if messages := parse(line):
                    garbage = 0
                    if finite(line) != line:
                        self.stderr.write(NOTE_NOT_FINITE)
                    for message in messages:
                        await to_session.send(message)
                else:
                    garbage += len(line) + 1
                    self.stderr.write(line[:1000] + b"\n")
                    if garbage > MAX_GARBAGE_BYTES:
                        raise ConnectionFailed(
                            stored("writes to stdout what is not MCP"), FailureKind.STDOUT_NOT_MCP
                        )
            if lines.length > MAX_LINE_BYTES:
                raise ConnectionFailed(stored("writes a message without end"))
        # The last message may lack a newline; an incomplete one is dropped.
        for message in parse(lines.rest()):
            if not is_unreadable(message):
                await to_session.send(message)

    async def _write(self, from_session: FromSession, to_session: ToSession) -> None:
        assert self._process.stdin is not None
        try:
            async for item in from_session:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._process.stdin.write(text.encode(errors="replace") + b"\n")
                await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            # The program does not read any more. Mostly it has ended, as `_read` explains; if not,
            # the stream is closed, so that a request does not wait for its deadline.
            await asyncio.sleep(2 * MAX_PIPE_DRAIN_S)
            to_session.close()
        finally:
            from_session.close()

    async def _log(self) -> None:
        assert self._process.stderr is not None
        volume = Throttle(MAX_STDERR_RATE)
        while chunk := await self._process.stderr.read(READ_BYTES):
            self.stderr.write(chunk)
            await volume.spend(len(chunk))

    async def _watch(self, to_session: ToSession) -> None:
        """Ends the session with the program, even if a grandchild holds its pipes open."""
        await processes.gone(self._process, look_every_s=1.0)
        await asyncio.sleep(MAX_PIPE_DRAIN_S)
        self._ending = self._ending or processes.ending(self._process.returncode)
        to_session.close()
