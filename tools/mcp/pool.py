"""The MCP sessions of this process. Calls with the same configuration share one.

A configuration with `{workspace}` in it is another one in every conversation. At most
`MCP_CONNECTIONS` are open: the idle one that was used least recently makes room, and where none is
idle a call waits. Runs on the loop, and only there.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import mcp_types
from django.conf import settings
from django.db import connection as database
from mcp import Client

from limits.mcp import MAX_RECONNECT_PAUSE_S
from tools.errors import ConnectionFailed
from tools.health import checks
from tools.mcp import findings, logs
from tools.mcp.connection import Connection
from tools.mcp.transports.processes import Ledger
from tools.values.server_config import ServerConfig
from tools.values.timing import CallTiming

logger = logging.getLogger(__name__)

FIRST_WAIT_S = 0.5


@dataclass
class _Failures:
    """Consecutive failed connection attempts: each makes the next one wait longer."""

    count: int
    last: float
    error: ConnectionFailed

    @property
    def wait_s(self) -> float:
        pause: float = min(FIRST_WAIT_S * 2 ** (self.count - 1), MAX_RECONNECT_PAUSE_S)
        return max(self.last + pause - time.monotonic(), 0)

    @property
    def is_forgotten(self) -> bool:
        return time.monotonic() - self.last > 10 * MAX_RECONNECT_PAUSE_S


class Pool:
    """Belongs to one loop; `of_loop` gives the pool of the running one."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.connections: dict[ServerConfig, Connection] = {}
        self._failures: dict[ServerConfig, _Failures] = {}
        self._released = asyncio.Event()

    @asynccontextmanager
    async def connection(
        self, config: ServerConfig, workspace: Path, timing: CallTiming | None = None
    ) -> AsyncIterator[tuple[Connection, bool]]:
        """An open session, and whether it is new. Raises `ConnectionFailed`.

        In the block it counts as used: it is not closed to make room. `timing` records the waits.
        """
        placed = config.placed(workspace)
        timing = timing or CallTiming()
        timing.begin()
        if placed != config:
            workspace.mkdir(parents=True, exist_ok=True)
        connection, is_new = await self._one_for(placed, config)
        if is_new:
            timing.opening(is_program=placed.transport == "stdio")
        try:
            with connection.in_use():
                client = await self._opened(placed, connection, timing)
                timing.opened(client.protocol_version, connection.started_ms)
                timing.met = connection.place
                yield connection, is_new
        finally:
            self._released.set()

    async def _one_for(
        self, placed: ServerConfig, registered: ServerConfig
    ) -> tuple[Connection, bool]:
        """The open session, or a new one as soon as there is room for it."""
        while True:
            connection = self.connections.get(placed)
            if connection is not None and not connection.is_dead:
                return connection, False
            self._respect_failures(placed)
            self._make_room()
            if len(self.connections) < self.most:
                # The protocol that it spoke last time may be the reason of the failures.
                config = replace(placed, era="") if placed in self._failures else placed
                connection = Connection(
                    config, registered=registered, keeps_log=True, relisted=self._store_list
                )
                self.connections[placed] = connection
                return connection, True
            self._released.clear()
            await self._released.wait()

    def changed_tools(self, config: ServerConfig) -> list[mcp_types.Tool]:
        """The tools of a registered server's open sessions whose list has changed since they were
        opened."""
        unsigned = replace(config, sign_in=None)
        return [
            tool
            for session in self.connections.values()
            if session.has_changed and not session.is_dead
            if replace(session.registered, sign_in=None) == unsigned
            for tool in session.tools
        ]

    async def _store_list(self, session: Connection) -> None:
        """Stores the list of this session together with those of other sessions that have changed.
        When the session ends, a check lists what the server offers without it."""
        tools = merged(self.changed_tools(session.registered), session.tools)
        await asyncio.to_thread(_store_changed, session.registered, tools, session.list_notes)
        session.when_over(ask_for_check)

    async def close(self) -> None:
        connections, self.connections = list(self.connections.values()), {}
        await asyncio.gather(*(connection.close() for connection in connections))

    async def _opened(
        self, placed: ServerConfig, connection: Connection, timing: CallTiming
    ) -> Client:
        try:
            client = await connection.opened()
        except ConnectionFailed as error:
            timing.failed(error.reason, connection.started_ms)
            before = self._failures.get(placed)
            if self.connections.get(placed) is connection:
                del self.connections[placed]
                count = before.count + 1 if before else 1
                self._failures[placed] = _Failures(count, time.monotonic(), error)
            raise
        self._failures.pop(placed, None)
        return client

    def _respect_failures(self, placed: ServerConfig) -> None:
        failures = self._failures.get(placed)
        if failures and failures.wait_s:
            attempts = f"(tried {failures.count} times; next try in {failures.wait_s:.0f} s)"
            failure = failures.error.failure
            failure = replace(failure, reason=f"{failure.reason} {attempts}")
            raise ConnectionFailed.of(failure, failures.error.stderr)

    def _make_room(self) -> None:
        """Removes dead sessions; then closes idle ones, least recently used first."""
        self.connections = {of: one for of, one in self.connections.items() if not one.is_dead}
        self._failures = {of: one for of, one in self._failures.items() if not one.is_forgotten}
        idle = [pair for pair in self.connections.items() if pair[1].is_idle]
        idle.sort(key=lambda pair: pair[1].used)
        for placed, connection in idle[: max(len(self.connections) + 1 - self.most, 0)]:
            del self.connections[placed]
            connection.retire()


def merged(
    tools: Sequence[mcp_types.Tool], newer: Sequence[mcp_types.Tool]
) -> list[mcp_types.Tool]:
    """Both lists; of two tools with one name that of `newer`."""
    return list({tool.name: tool for tool in (*tools, *newer)}.values())


def _store_changed(
    config: ServerConfig, tools: Sequence[mcp_types.Tool], notes: Sequence[str]
) -> None:
    try:
        findings.store_changed(config, tools, notes)
    finally:
        database.close()  # of this thread, which may be idle for long


def ask_for_check(server: str) -> None:
    """Asks for a check of `server`. Blocks on the database, so never call it on the loop."""
    try:
        checks.ask_by_name(server)
    finally:
        database.close()


_pools: dict[asyncio.AbstractEventLoop, Pool] = {}


def of_loop() -> Pool:
    """The pool of the running loop, made when first asked for."""
    loop = asyncio.get_running_loop()
    if loop not in _pools:
        for closed in [other for other in _pools if other.is_closed()]:
            del _pools[closed]
        if swept := Ledger(settings.HOME / "children").sweep():
            logger.warning("killed server processes that a crash left behind: %s", swept)
        logs.sweep()
        _pools[loop] = Pool(settings.MCP_CONNECTIONS)
    return _pools[loop]
