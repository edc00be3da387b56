"""Logs that lose events while they are followed: their followers get a snapshot."""

from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from chat.events import log
from chat.events.publishing import emit
from chat.tests.live.tabs import Model, Open, Tab, sent


@pytest.fixture
def tab(opened: Open, owner: User) -> Tab:
    return opened(owner)


@pytest.fixture
def followed(tab: Tab, model: Model) -> UUID:
    """The conversation that the tab follows, whose log has some events."""
    conversation: UUID = sent(tab, model("stub-n5")).conversation.public_id
    for title in ("one", "two"):
        emit(conversation, {"type": "conversation", "title": title})
    tab.next(lambda frame: frame.get("title") == "two")
    return conversation


def last(conversation: UUID) -> str:
    entries: Any = log.client().xrevrange(log.log_key(conversation), count=1)
    return str(entries[0][0].decode())


def be_replaced() -> None:
    """As if another server had taken over: the one that answers is not the one that is noted."""
    log.client().hset(log.STORE, "server", "another")


def is_snapshot(frame: dict[str, object]) -> bool:
    return frame["type"] == "snapshot"


def test_a_redis_that_was_emptied_gives_a_snapshot(tab: Tab, followed: UUID) -> None:
    log.client().flushall()
    assert tab.next(is_snapshot)["cursor"] is None


def test_a_log_that_lost_its_last_events_gives_a_snapshot(tab: Tab, followed: UUID) -> None:
    log.client().xdel(log.log_key(followed), last(followed))
    assert tab.next(is_snapshot)["cursor"] == last(followed)


def test_other_events_in_the_places_of_lost_ones_are_not_taken_for_them(
    tab: Tab, followed: UUID
) -> None:
    """The log of a replica that took over is as long as before: somebody has gone on with it."""
    be_replaced()
    assert tab.next(is_snapshot)["cursor"] == last(followed)
    before = log.EventId.parse(last(followed))
    emit(followed, {"type": "conversation", "title": "three"})
    after = log.EventId.parse(last(followed))
    assert (after.incarnation > before.incarnation, after.n) == (True, 1)
    assert tab.next(is_snapshot)["cursor"] == str(after)


def test_a_cursor_of_before_a_loss_gives_a_snapshot(
    tab: Tab, followed: UUID, opened: Open, owner: User
) -> None:
    be_replaced()
    tab.next(is_snapshot)
    second = opened(owner)
    second.tell(type="open", conversation=str(followed), cursor=last(followed))
    assert second.next()["type"] == "snapshot"
