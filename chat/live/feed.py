"""Following event logs on behalf of sockets: one reader a process, one feed a conversation.

A feed keeps a tail of recent frames in memory; a socket is a cursor into it. Sockets have no
queues: a slow socket lags behind, and reads the log from Redis once the tail has passed its cursor.
An announcement that is not exactly the next event makes the feed read the log. Once a second the
feeds in which nothing came are compared with their logs, because a loss at the end shows no gap;
and Redis is asked whether it has lost data, after which followers begin anew with a snapshot.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import redis.asyncio
from django.conf import settings

from chat.events.log import EventFrame, EventId, event_frame, log_key
from chat.events.scripts import whole_since
from chat.live.announcements import Announcement, Announcements
from db.redis_pool import ASYNC_ERRORS
from limits.web import MAX_ENTRIES_A_READ, MAX_FEED_EVENTS

logger = logging.getLogger(__name__)

COMPARE_INTERVAL_S = 1.0
RECONNECT_INTERVAL_S = 0.5


# Called whenever there is more to read, once for all events that were announced together.
Wake = Callable[[], None]


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
        # How often the log lost events that followers may have: each of them needs a snapshot.
        self.losses = 0
        self.followers: set[Wake] = set()
        self.ready = asyncio.Event()
        self._frames: list[EventFrame] = []

    def begin(self, last: EventId | None) -> None:
        """Starts over at the end of the log, of which `last` is the last event."""
        self.last = last
        self.starts += 1
        self._frames = []
        self.notify()

    def lose(self, last: EventId | None) -> None:
        """Starts over, with all followers, at the end of a log that has lost events."""
        self.losses += 1
        self.begin(last)

    @property
    def place(self) -> "Place":
        """Equal to an earlier one if nothing came since."""
        return self, self.starts, self.last

    def announced(self, announcement: Announcement) -> bool:
        """Takes the next event without waking followers. False: the log has to be read."""
        try:
            event_id = EventId.parse(announcement.event_id.decode())
        except ValueError:
            return False
        if self._is_known(event_id):
            return True
        if not announcement.event or not self._is_next(event_id):
            return False
        self._append(event_id, announcement.event)
        return True

    def take(self, entries: list[tuple[EventId, bytes]]) -> bool:
        """Takes entries read from the log. False: they do not continue this feed."""
        for event_id, event in entries:
            if self._is_known(event_id):
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

    def forget(self) -> None:
        """Drops the tail; a follower that has not read all of it reads the log from Redis."""
        self._frames = []

    def notify(self) -> None:
        for wake in list(self.followers):
            wake()

    def _is_known(self, event_id: EventId) -> bool:
        return self.last is not None and event_id <= self.last

    def _is_next(self, event_id: EventId) -> bool:
        if self.last is None:
            return event_id.n == 1
        return event_id == EventId(self.last.incarnation, self.last.n + 1)

    def _append(self, event_id: EventId, event: bytes) -> None:
        self.last = event_id
        self._frames.append(event_frame(event_id, event))
        if len(self._frames) > 2 * MAX_FEED_EVENTS:
            del self._frames[:MAX_FEED_EVENTS]


Place = tuple[Feed, int, EventId | None]


class Hub:
    """All feeds of this process. Every method is for the event loop's thread."""

    def __init__(self, on_state: Callable[[bool], Awaitable[None]]) -> None:
        self._feeds: dict[bytes, Feed] = {}
        self._redis = redis.asyncio.Redis.from_url(
            settings.REDIS_URL,
            socket_connect_timeout=0.5,
            socket_timeout=2.0,
            retry=None,
            # An announcement of the newer protocol costs the library a sixth more of everything.
            protocol=2,
        )
        self._announcements = Announcements(self._redis)
        self._on_state = on_state
        self.available = asyncio.Event()
        self.available.set()
        self._tasks: list[asyncio.Task[None]] = []
        # Whether it was tried to subscribe, since the connection was lost, if it was.
        self._tried = asyncio.Event()
        self._followed = asyncio.Event()
        # Places of feeds at the last look of `_watch`.
        self._places: set[Place] = set()
        self._whole_since: int | None = None

    @property
    def redis(self) -> "redis.asyncio.Redis":
        return self._redis

    @property
    def up(self) -> bool:
        """Whether Redis answers."""
        return self.available.is_set()

    @property
    def feeds(self) -> list[Feed]:
        """The feeds that sockets of this process follow."""
        return list(self._feeds.values())

    async def follow(self, conversation: uuid.UUID, wake: Wake) -> Feed:
        """A feed that calls `wake` whenever there is more to read."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._watch())]
        feed = self._feeds.get(_name(conversation))
        is_new = feed is None
        if feed is None:
            feed = self._feeds[_name(conversation)] = Feed(conversation)
        feed.followers.add(wake)
        self._followed.set()
        try:
            await (self._begin(feed) if is_new else feed.ready.wait())
        except BaseException:
            self.leave(feed, wake)
            raise
        return feed

    def is_in_doubt(self, cursor: EventId) -> bool:
        """Whether Redis has lost data since the log of this cursor began."""
        return self._whole_since is not None and cursor.incarnation < self._whole_since

    async def refresh(self, feed: Feed) -> None:
        """Reads the new events of the log. Does nothing while Redis is away."""
        try:
            await self._catch_up(feed)
        except ASYNC_ERRORS as error:
            logger.warning("The event log cannot be read: %s", error)

    def leave(self, feed: Feed, wake: Wake) -> None:
        feed.followers.discard(wake)
        name = _name(feed.conversation)
        if not feed.followers and self._feeds.get(name) is feed:
            del self._feeds[name]

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
        except ASYNC_ERRORS as error:
            raise Lost from error
        if not entries or entries[0][0] != EventId(last.incarnation, position + 1):
            raise Lost
        # A feed that is behind its sockets would take their cursors for lost.
        feed.take(entries)
        return [event_frame(event_id, event) for event_id, event in entries]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self._announcements.close()
        await self._redis.aclose()

    async def _begin(self, feed: Feed) -> None:
        """Reads the end of the log after the process has subscribed: no event falls between."""
        try:
            await self._tried.wait()
            end = await self._end(feed.key)
            # An announcement may have come first.
            if feed.last is None:
                feed.begin(end)
        except ASYNC_ERRORS as error:
            logger.warning("The event log cannot be followed yet: %s", error)
        finally:
            feed.ready.set()

    async def _end(self, key: str) -> EventId | None:
        last: Any = await self._redis.xrevrange(key, count=1)
        return _event_id(last[0][0]) if last else None

    async def _read(self, key: str, cursor: EventId | None) -> list[tuple[EventId, bytes]]:
        start = f"({cursor}" if cursor else "-"
        entries: Any = await self._redis.xrange(key, min=start, count=MAX_ENTRIES_A_READ)
        return [(_event_id(entry_id), fields[b"e"]) for entry_id, fields in entries]

    async def _listen(self) -> None:
        while True:
            try:
                if not self._announcements.is_open:
                    await self._announcements.subscribe()
                    await self._check_store()
                    self._tried.set()
                await self._announced(await self._announcements.next())
            except ASYNC_ERRORS as error:
                self._tried.set()
                await self._reconnect(error)
            except Exception:
                # This task must not end; `_watch` finds what was missed.
                logger.exception("An announcement could not be taken")
                self._tried.set()
                await asyncio.sleep(RECONNECT_INTERVAL_S)

    async def _announced(self, announcements: Iterable[Announcement]) -> None:
        """Takes what was announced together, and wakes each follower once."""
        is_whole: dict[Feed, bool] = {}
        for announcement in announcements:
            feed = self._feeds.get(announcement.conversation)
            if feed is not None:
                is_whole[feed] = feed.announced(announcement) and is_whole.get(feed, True)
        for feed, whole in is_whole.items():
            if whole:
                feed.notify()
            else:
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
            if not self.up:
                continue
            try:
                if not await self._check_store():
                    await self._compare(self.feeds)
            except ASYNC_ERRORS as error:
                logger.warning("The event logs could not be compared: %s", error)
            except Exception:
                logger.exception("The event logs could not be compared")

    async def _check_store(self) -> bool:
        """Whether Redis has lost data since the last look: then every feed starts over."""
        before, self._whole_since = self._whole_since, await whole_since(self._redis)
        if before in (None, self._whole_since):
            return False
        logger.warning("Redis has lost data; the event logs start over")
        for feed in self.feeds:
            feed.lose(await self._end(feed.key))
        return True

    async def _compare(self, feeds: list[Feed]) -> None:
        """Reads on where a log is longer than its feed. Feeds to which something came since the
        last look are left out: there the next announcement would show a gap. The others forget
        their tails, so that conversations that are only open cost no memory."""
        places, self._places = self._places, {feed.place for feed in feeds}
        feeds = [feed for feed in feeds if feed.place in places]
        if not feeds:
            return
        for feed in feeds:
            feed.forget()
        positions = [feed.last for feed in feeds]
        async with self._redis.pipeline(transaction=False) as pipeline:
            for feed in feeds:
                pipeline.xrevrange(feed.key, count=1)
            ends = await pipeline.execute()
        for feed, before, end in zip(feeds, positions, ends, strict=True):
            last = _event_id(end[0][0]) if end else None
            if before is not None and feed.last == before and (last is None or last < before):
                feed.lose(last)
            elif last is not None and (feed.last is None or last > feed.last):
                await self._catch_up(feed)

    async def _reconnect(self, error: Exception) -> None:
        """Redis is away: says so, waits for it, and starts every feed over."""
        logger.warning("Redis is out of reach: %s", error)
        await self._set_state(False)
        is_back = False
        while not is_back:
            self._tried.clear()
            await self._wait_for_a_follower()
            is_back = await self._start_over()
            self._tried.set()
        await self._set_state(True)

    async def _start_over(self) -> bool:
        """Subscribes, and begins every feed at the end of its log. False: Redis is still away."""
        try:
            await self._announcements.subscribe()
            if not await self._check_store():
                for feed in self.feeds:
                    feed.begin(await self._end(feed.key))
        except ASYNC_ERRORS:
            return False
        except Exception:
            logger.exception("The event logs could not be followed anew")
            return False
        return True

    async def _wait_for_a_follower(self) -> None:
        """Or for `RECONNECT_INTERVAL_S`: who begins to follow does not wait for the next try."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._followed.wait(), RECONNECT_INTERVAL_S)
        self._followed.clear()

    async def _set_state(self, up: bool) -> None:
        if self.up == up:
            return
        if up:
            self.available.set()
        else:
            self.available.clear()
        await self._on_state(up)


def _name(conversation: uuid.UUID) -> bytes:
    """A conversation as announcements name it."""
    return str(conversation).encode()


def _event_id(text: bytes) -> EventId:
    return EventId.parse(text.decode())
