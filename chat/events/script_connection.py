"""The connection on which an event loop runs Lua scripts, one after another.

A call of redis-py's client makes a task, two time-outs and a command object: 90 µs for a script of
which Redis needs 40. Here it is one write and one read under one time-out.
"""

import asyncio
import hashlib
from collections.abc import Iterable
from typing import Any

import redis.asyncio
from redis.connection import HiredisRespSerializer
from redis.exceptions import NoScriptError

CONNECT_S = 0.5
REPLY_S = 2.0

_packer: Any = HiredisRespSerializer()


class Script:
    """The source of a Lua script, and the name by which Redis knows it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.sha1 = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


class ScriptConnection:
    """Connects by itself, and again after an error. For the loop's thread; one call at a time."""

    def __init__(self, url: str) -> None:
        pool: Any = redis.asyncio.ConnectionPool.from_url(
            url, socket_connect_timeout=CONNECT_S, socket_timeout=None, retry=None
        )
        self._connection = pool.make_connection()

    async def run(self, script: Script, keys: Iterable[Any], arguments: Iterable[Any]) -> Any:
        """The result of the script. Raises what `db.redis_pool.ASYNC_ERRORS` has."""
        keys = [*keys]
        values = [len(keys), *keys, *arguments]
        try:
            async with asyncio.timeout(REPLY_S):
                try:
                    return await self._call("EVALSHA", script.sha1, values)
                except NoScriptError:
                    return await self._call("EVAL", script.source, values)
        except TimeoutError:
            # The reply may still come: the next call must not take it for its own.
            await self._connection.disconnect(nowait=True)
            raise

    async def close(self) -> None:
        await self._connection.disconnect(nowait=True)

    async def _call(self, command: str, script: str, values: list[Any]) -> Any:
        connection = self._connection
        packed = _packer.pack(command, script, *values)
        await connection.send_packed_command(packed, check_health=False)
        return await connection.read_response()
