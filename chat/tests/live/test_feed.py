"""The tail of an event log that a process keeps for its sockets."""

import json
import uuid

from chat.events.log import EventId
from chat.live.feed import Feed


def a_feed(events: int) -> Feed:
    feed = Feed(uuid.uuid4())
    feed.begin(None)
    for n in range(1, events + 1):
        feed.announced(EventId(7, n), f'{{"type":"delta","text":"{n}"}}')
    return feed


def test_a_frame_has_its_id_as_a_value_and_in_its_text() -> None:
    frames = a_feed(events=2).tail(EventId(7, 1))
    assert frames is not None
    assert [frame.id for frame in frames] == [EventId(7, 2)]
    assert json.loads(frames[0].text) == {"id": "7-2", "type": "delta", "text": "2"}


def test_an_announcement_that_is_not_the_next_is_not_taken() -> None:
    feed = a_feed(events=1)
    assert not feed.announced(EventId(7, 3), '{"type":"delta"}')
    assert feed.last == EventId(7, 1)
