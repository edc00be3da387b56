"""Following event logs on behalf of sockets: one reader a process and conversation.

A feed keeps a tail of recent frames in memory; a socket is a cursor into it. Sockets have no
queues: a slow socket lags behind, and reads the log from Redis once the tail has passed its cursor.
An announcement that is not exactly the next event makes the feed read the log. Once a second every
feed is compared with its log, because a loss at the end shows no gap.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import redis.asyncio
from django.conf import settings
from redis.exceptions import RedisError

from chat.events.log import EventFrame, EventId, event_frame, log_key
from limits.web import MAX_ENTRIES_A_READ, MAX_FEED_EVENTS

logger = logging.getLogger(__name__)

COMPARE_INTERVAL_S = 1.0
RECONNECT_INTERVAL_S = 0.5


class Lost(Exception):
    """The log does not continue from this cursor: the client needs a snapshot."""


class Feed:
    """The log of one conversation, as far as this process has read it."""

    def __init__(self, conversation: uuid.UUID) -> None:
        self.conversation = conversation
        self.key = log_key(conversation)
        self.last: EventId | None = None
        # How often it started over: while Redis was away events may have been lost.
        self.starts = 0
        self.followers: set[asyncio.Event] = set()
        self.ready = asyncio.Event()
        self._frames: list[EventFrame] = []

    def begin(self, last: EventId | None) -> None:
        """Starts over at the end of the log, of which `last` is the last event."""
        self.last = last
        self.starts += 1
        self._frames = []
        self.notify()

    @property
    def place(self) -> "Place":
        """Equal to an earlier one if nothing came since."""
        return self, self.starts, self.last

    def announced(self, event_id: EventId, event: str | None) -> bool:
        """Takes an announcement; `event` is None if it is long. False: the log has to be read."""
        last = self.last
        if last is not None and event_id <= last:
            return True
        if event is None or not self._is_next(event_id):
            return False
        self._append(event_id, event)
        self.notify()
        return True

    def take(self, entries: list[tuple[EventId, str]]) -> bool:
        """Takes entries read from the log. False: they do not continue this feed."""
        for event_id, event in entries:
            if self.last is not None and event_id <= self.last:
                continue
            if not self._is_next(event_id):
                return False
            self._append(event_id, event)
        self.notify()
        return True

    def tail(self, cursor: EventId | None) -> list[EventFrame] | None:
        """The frames after a cursor, or None if the tail does not reach back so far."""
        if self.last is None:
            return [] if cursor is None else None
        if cursor is None:
            count = self.last.n
        elif cursor.incarnation == self.last.incarnation:
            count = self.last.n - cursor.n
        else:
            return None
        if count < 0 or count > len(self._frames):
            return None
        return self._frames[len(self._frames) - count :]

    def notify(self) -> None:
        for follower in self.followers:
            follower.set()

    def _is_next(self, event_id: EventId) -> bool:
        if self.last is None:
            return event_id.n == 1
        return event_id == EventId(self.last.incarnation, self.last.n + 1)

    def _append(self, event_id: EventId, event: str) -> None:
        self.last = event_id
        self._frames.append(event_frame(event_id, event))
        if len(self._frames) > 2 * MAX_FEED_EVENTS:
            del self._frames[:MAX_FEED_EVENTS]


Place = tuple[Feed, int, EventId | None]


class Hub:
    """All feeds of this process. Every method is for the event loop's thread."""

    def __init__(self, on_state: Callable[[bool], Awaitable[None]]) -> None:
        self._feeds: dict[str, Feed] = {}
        self._redis = redis.asyncio.Redis.from_url(
            settings.REDIS_URL,
            socket_connect_timeout=0.5,
            socket_timeout=2.0,
            retry=None,
            # An announcement of the newer protocol costs the library a sixth more of everything.
            protocol=2,
            decode_responses=True,
            encoding_errors="surrogatepass",
        )
        self._pubsub = self._redis.pubsub(ignore_subscribe_messages=True)
        self._on_state = on_state
        self.available = asyncio.Event()
        self.available.set()
        self._tasks: list[asyncio.Task[None]] = []
        self._followed = asyncio.Event()
        # A reconnect replaces the connection: not while somebody subscribes on it.
        self._subscribing = asyncio.Lock()

    @property
    def up(self) -> bool:
        """Whether Redis answers."""
        return self.available.is_set()

    @property
    def feeds(self) -> list[Feed]:
        """The feeds that sockets of this process follow."""
        return list(self._feeds.values())

    async def follow(self, conversation: uuid.UUID, follower: asyncio.Event) -> Feed:
        """A feed that sets `follower` whenever there is more to read."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._watch())]
        feed = self._feeds.get(log_key(conversation))
        is_new = feed is None
        if feed is None:
            feed = self._feeds[log_key(conversation)] = Feed(conversation)
        feed.followers.add(follower)
        try:
            await (self._subscribe(feed) if is_new else feed.ready.wait())
        except asyncio.CancelledError:
            await self.leave(feed, follower)
            raise
        self._followed.set()
        return feed

    async def refresh(self, feed: Feed) -> None:
        """Reads the new events of the log. Does nothing while Redis is away."""
        try:
            await self._catch_up(feed)
        except (RedisError, OSError) as error:
            logger.warning("The event log cannot be read: %s", error)

    async def leave(self, feed: Feed, follower: asyncio.Event) -> None:
        feed.followers.discard(follower)
        if not feed.followers and self._feeds.get(feed.key) is feed:
            del self._feeds[feed.key]
            try:
                async with self._subscribing:
                    await self._pubsub.unsubscribe(feed.key)
            except (RedisError, OSError):
                logger.info("Redis is away; nothing to unsubscribe")

    async def after(self, feed: Feed, cursor: EventId | None) -> list[EventFrame]:
        """The frames after a cursor, from the tail or from Redis. Raises `Lost`."""
        frames = feed.tail(cursor)
        if frames is not None:
            return frames
        last, position = feed.last, cursor.n if cursor else 0
        if last is None or (cursor and cursor.incarnation != last.incarnation):
            raise Lost
        try:
            entries = await self._read(feed.key, cursor)
        except (RedisError, OSError) as error:
            raise Lost from error
        if not entries or entries[0][0] != EventId(last.incarnation, position + 1):
            raise Lost
        # A feed that is behind its sockets would take their cursors for lost.
        feed.take(entries)
        return [event_frame(event_id, event) for event_id, event in entries]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self._pubsub.aclose()  # type: ignore[no-untyped-call]  # redis-py
        await self._redis.aclose()

    async def _subscribe(self, feed: Feed) -> None:
        """Subscribes first, then reads the end of the log: no event falls between."""
        try:
            async with self._subscribing:
                await self._pubsub.subscribe(feed.key)
            end = await self._end(feed.key)
            # An announcement may have come first.
            if feed.last is None:
                feed.begin(end)
        except (RedisError, OSError) as error:
            logger.warning("The event log cannot be followed yet: %s", error)
        finally:
            feed.ready.set()

    async def _end(self, key: str) -> EventId | None:
        last: Any = await self._redis.xrevrange(key, count=1)
        return EventId.parse(last[0][0]) if last else None

    async def _read(self, key: str, cursor: EventId | None) -> list[tuple[EventId, str]]:
        start = f"({cursor}" if cursor else "-"
        entries: Any = await self._redis.xrange(key, min=start, count=MAX_ENTRIES_A_READ)
        return [(EventId.parse(entry_id), fields["e"]) for entry_id, fields in entries]

    async def _listen(self) -> None:
        while True:
            try:
                if await self._has_subscriptions():
                    message = await self._pubsub.get_message(timeout=5.0)
                    if message is not None and message["type"] == "message":
                        await self._announced(message["channel"], message["data"])
            except (RedisError, OSError) as error:
                await self._reconnect(error)
            except Exception:
                # This task must not end; `_watch` finds what was missed.
                logger.exception("An announcement could not be taken")
                await asyncio.sleep(RECONNECT_INTERVAL_S)

    async def _has_subscriptions(self) -> bool:
        """Waits until a socket follows a feed. False: subscribing has failed, Redis is away."""
        await self._followed.wait()
        if self._pubsub.subscribed:
            return True
        if any(feed.ready.is_set() for feed in self._feeds.values()):
            await self._reconnect(ConnectionError("nothing could be subscribed"))
        else:
            self._followed.clear()
        return False

    async def _announced(self, key: str, announcement: str) -> None:
        feed = self._feeds.get(key)
        if feed is None:
            return
        event_id, _, event = announcement.partition(" ")
        if not feed.announced(EventId.parse(event_id), event or None):
            await self._catch_up(feed)

    async def _catch_up(self, feed: Feed) -> None:
        """Reads the log from where the feed is; a hole or a new incarnation starts it over."""
        while True:
            entries = await self._read(feed.key, feed.last)
            if not feed.take(entries):
                feed.begin(await self._end(feed.key))
                return
            if len(entries) < MAX_ENTRIES_A_READ:
                return

    async def _watch(self) -> None:
        """Finds the events whose announcements were lost."""
        while True:
            await asyncio.sleep(COMPARE_INTERVAL_S)
            if not self.up or not self._feeds:
                continue
            try:
                await self._compare(list(self._feeds.values()))
            except (RedisError, OSError) as error:
                logger.warning("The event logs could not be compared: %s", error)
            except Exception:
                logger.exception("The event logs could not be compared")

    async def _compare(self, feeds: list[Feed]) -> None:
        positions = [feed.last for feed in feeds]
        async with self._redis.pipeline(transaction=False) as pipeline:
            for feed in feeds:
                pipeline.xrevrange(feed.key, count=1)
            ends = await pipeline.execute()
        for feed, before, end in zip(feeds, positions, ends, strict=True):
            last = EventId.parse(end[0][0]) if end else None
            if last is None and before is not None and feed.last == before:
                feed.begin(None)
            elif last is not None and (feed.last is None or last > feed.last):
                await self._catch_up(feed)

    async def _reconnect(self, error: Exception) -> None:
        """Redis is away: says so, waits for it, and starts every feed over."""
        logger.warning("Redis is out of reach: %s", error)
        await self._set_state(False)
        while True:
            await asyncio.sleep(RECONNECT_INTERVAL_S)
            try:
                await self._redis.ping()
                async with self._subscribing:
                    await self._pubsub.aclose()  # type: ignore[no-untyped-call]  # redis-py
                    self._pubsub = self._redis.pubsub(ignore_subscribe_messages=True)
                    for feed in list(self._feeds.values()):
                        await self._pubsub.subscribe(feed.key)
                        feed.begin(await self._end(feed.key))
                break
            except (RedisError, OSError):
                continue
        await self._set_state(True)

    async def _set_state(self, up: bool) -> None:
        if self.up == up:
            return
        if up:
            self.available.set()
        else:
            self.available.clear()
        await self._on_state(up)
