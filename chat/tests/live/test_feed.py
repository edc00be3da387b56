"""The tail of an event log that a process keeps for its sockets."""

import asyncio
import json
import uuid
from typing import Any

import redis.asyncio

from chat.events.log import EventId
from chat.events.publishing import emit
from chat.live.announcements import Announcement, parse
from chat.live.feed import Feed, Hub
from limits.web import MAX_FEED_EVENTS
from tests.redis_server import RedisServer


def announcement(n: int, event: bytes = b'{"type":"delta"}') -> Announcement:
    return Announcement(b"", b"7-%d" % n, event)


def a_feed(events: int) -> Feed:
    feed = Feed(uuid.uuid4())
    feed.begin(None)
    for n in range(1, events + 1):
        feed.announced(announcement(n, b'{"type":"delta","text":"%d"}' % n))
    return feed


def test_a_frame_has_its_id_as_a_value_and_in_its_text() -> None:
    frames = a_feed(events=2).tail(EventId(7, 1))
    assert frames is not None
    assert [frame.id for frame in frames] == [EventId(7, 2)]
    assert json.loads(frames[0].text) == {"id": "7-2", "type": "delta", "text": "2"}


def test_an_announcement_that_is_not_the_next_is_not_taken() -> None:
    feed = a_feed(events=1)
    assert not feed.announced(announcement(3))
    assert feed.last == EventId(7, 1)


def test_an_announcement_without_its_event_makes_the_feed_read_the_log() -> None:
    assert not a_feed(events=1).announced(announcement(2, b""))


def test_a_message_announces_the_events_of_several_conversations() -> None:
    assert list(parse(b'one 7-1 {"a": "b c"}\ntwo 8-4')) == [
        Announcement(b"one", b"7-1", b'{"a": "b c"}'),
        Announcement(b"two", b"8-4", b""),
    ]


def test_a_quiet_feed_keeps_no_tail_and_goes_on_where_it_was() -> None:
    feed = a_feed(events=3)
    feed.forget()
    assert (feed.tail(EventId(7, 2)), feed.tail(EventId(7, 3))) == (None, [])
    assert feed.announced(announcement(4))
    assert [frame.id.n for frame in feed.tail(EventId(7, 3)) or []] == [4]


def test_a_feed_caches_a_bounded_number_of_events() -> None:
    feed = a_feed(events=3 * MAX_FEED_EVENTS)
    last = 3 * MAX_FEED_EVENTS
    assert feed.tail(EventId(7, last - 2 * MAX_FEED_EVENTS - 1)) is None
    assert len(feed.tail(EventId(7, last - MAX_FEED_EVENTS)) or []) == MAX_FEED_EVENTS


class ClosedAsItBegins(redis.asyncio.Connection):
    """Fails a few times as uvloop's transport does, whose peer has closed before it is used."""

    failures_left = 3

    async def connect(self) -> None:
        if type(self).failures_left:
            type(self).failures_left -= 1
            raise RuntimeError(
                "unable to perform operation on <TCPTransport>; the handler is closed"
            )
        connect: Any = super().connect
        await connect()


async def announced_after_failures() -> EventId | None:
    """The last event of a feed that began while connections failed."""

    async def told(up: bool) -> None:
        states.append(up)

    states: list[bool] = []
    hub, woken, conversation = Hub(told), asyncio.Event(), uuid.uuid4()
    pool: Any = hub._redis.connection_pool
    pool.connection_class = ClosedAsItBegins
    try:
        feed = await hub.follow(conversation, woken.set)
        async with asyncio.timeout(10):
            while states != [False, True]:
                await asyncio.sleep(0.01)
            woken.clear()
            await asyncio.to_thread(emit, conversation, {"type": "todos"})
            await woken.wait()
        return feed.last
    finally:
        await hub.close()


def test_connections_that_are_closed_as_they_begin_leave_no_process_deaf(
    redis_server: RedisServer,
) -> None:
    last = asyncio.run(announced_after_failures())
    assert last is not None
    assert last.n == 1
