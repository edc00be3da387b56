"""The MCP sessions of this process. Calls with the same configuration share one.

A configuration with `{workspace}` in it is another one in every conversation. At most
`MCP_CONNECTIONS` are open: the idle one that was used least recently makes room, and where none is
idle a call waits. Runs on the loop, and only there.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from mcp import Client

from tools.errors import ConnectionFailed
from tools.mcp import logs
from tools.mcp.config import ServerConfig
from tools.mcp.connection import Connection
from tools.mcp.processes import Ledger
from tools.timing import CallTiming

logger = logging.getLogger(__name__)

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0


@dataclass
class _Failures:
    """Connection attempts that failed in a row: the next has to wait, longer each time."""

    count: int
    last: float
    error: ConnectionFailed

    @property
    def wait_s(self) -> float:
        pause: float = min(FIRST_WAIT_S * 2 ** (self.count - 1), LONGEST_WAIT_S)
        return max(self.last + pause - time.monotonic(), 0)

    @property
    def is_forgotten(self) -> bool:
        return time.monotonic() - self.last > 10 * LONGEST_WAIT_S


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

        In the block it counts as used: it is not closed to make room. `timing` is told.
        """
        placed = config.placed(workspace)
        timing = timing or CallTiming()
        timing.begin()
        if placed != config:
            workspace.mkdir(parents=True, exist_ok=True)
        connection, is_new = await self._one_for(placed)
        if is_new:
            timing.opening()
        try:
            with connection.in_use():
                client = await self._opened(placed, connection, timing)
                timing.opened(client.protocol_version)
                timing.met = connection.place
                yield connection, is_new
        finally:
            self._released.set()

    async def _one_for(self, placed: ServerConfig) -> tuple[Connection, bool]:
        """The session that is there, or a new one as soon as there is room for it."""
        while True:
            connection = self.connections.get(placed)
            if connection is not None and not connection.is_dead:
                return connection, False
            self._respect_failures(placed)
            self._make_room()
            if len(self.connections) < self.most:
                # What it spoke last time may be why it failed since.
                config = replace(placed, era="") if placed in self._failures else placed
                self.connections[placed] = Connection(config, keeps_log=True)
                return self.connections[placed], True
            self._released.clear()
            await self._released.wait()

    async def close(self) -> None:
        connections, self.connections = list(self.connections.values()), {}
        await asyncio.gather(*(connection.close() for connection in connections))

    async def _opened(
        self, placed: ServerConfig, connection: Connection, timing: CallTiming
    ) -> Client:
        try:
            client = await connection.opened()
        except ConnectionFailed as error:
            timing.failed(error.reason)
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
            raise ConnectionFailed(
                f"{failures.error.reason} (tried {failures.count} times; next try in "
                f"{failures.wait_s:.0f} s)",
                failures.error.stderr,
            )

    def _make_room(self) -> None:
        """Forget the dead; then close the idle ones that were used longest ago."""
        self.connections = {of: one for of, one in self.connections.items() if not one.is_dead}
        self._failures = {of: one for of, one in self._failures.items() if not one.is_forgotten}
        idle = [pair for pair in self.connections.items() if pair[1].is_idle]
        idle.sort(key=lambda pair: pair[1].used)
        for placed, connection in idle[: max(len(self.connections) + 1 - self.most, 0)]:
            del self.connections[placed]
            connection.retire()


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
