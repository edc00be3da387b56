"""Announcements of new events (`chat.events.log`), read on one connection of the process."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import redis.asyncio

from chat.events.log import CHANNEL


class Announcement(NamedTuple):
    """One event: its conversation, its id, and the event itself, which is empty if it is long."""

    conversation: bytes
    event_id: bytes
    event: bytes


class Announcements:
    """A subscription, read without redis-py's `PubSub`, whose every message costs a time-out and a
    retry of its own. Its methods raise what `db.redis_pool.ASYNC_ERRORS` has."""

    def __init__(self, client: "redis.asyncio.Redis") -> None:
        self._pool = client.connection_pool
        self._connection: Any = None

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    async def subscribe(self) -> None:
        """Subscribes, anew if it was before: what is appended from here on is announced."""
        await self.close()
        pool: Any = self._pool
        connection = await pool.get_connection()
        self._connection = connection
        await connection.send_command("SUBSCRIBE", CHANNEL)
        await connection.read_response()

    async def next(self) -> Iterator[Announcement]:
        """The next message's announcements, as soon as there is one."""
        _, _, message = await self._connection.read_response(timeout=math.inf)
        return parse(message)

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)


def parse(message: bytes) -> Iterator[Announcement]:
    for line in message.split(b"\n"):
        conversation, _, rest = line.partition(b" ")
        event_id, _, event = rest.partition(b" ")
        yield Announcement(conversation, event_id, event)
