"""Ends of turns that no event told: a worker died, or Redis was away, just after the commit."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.events import log
from chat.live.missed_endings import Endings, endings
from chat.live.sockets import Sockets, _by_loop
from chat.models import Conversation, Turn
from chat.tests.builders import AConversation
from chat.tests.engine.conftest import answer_rings
from chat.tests.live.tabs import Model, Open, is_over, sent
from limits.web import MAX_ENDS_COMPARED
from tests import patience

pytestmark = pytest.mark.process

Frame = dict[str, Any]


def on_server(call: Callable[[Sockets], Coroutine[Any, Any, None]]) -> None:
    """Runs a coroutine where the server's sockets live."""
    for loop, sockets in list(_by_loop.items()):
        if loop.is_running():
            asyncio.run_coroutine_threadsafe(call(sockets), loop).result(patience.SECONDS)


def look(times: int = 2) -> None:
    """What the server does every few seconds: what is as it was at the look before is quiet."""
    for _ in range(times):
        on_server(lambda sockets: sockets.missed_endings.look())


async def start_over(sockets: Sockets) -> None:
    """As when Redis is back."""
    for feed in sockets.hub.feeds:
        feed.begin(feed.last)


def over(turn: Turn, ago: int = 10, **changes: Any) -> None:
    """The commit that nobody was told of."""
    ended = timezone.now() - timedelta(seconds=ago)
    Turn.objects.filter(pk=turn.pk).update(status="failed", ended=ended, **changes)


def ended_ago(conversation: Conversation, **ago: int) -> None:
    Turn.objects.filter(conversation=conversation).update(ended=timezone.now() - timedelta(**ago))


def told(conversation: Any) -> list[Frame]:
    entries: Any = log.client().xrange(log.log_key(conversation))
    return [json.loads(fields[b"e"]) for _, fields in entries]


def test_an_end_that_was_not_told_is_told_to_whoever_follows(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    tab.next(lambda frame: frame["type"] == "turn")
    over(turn, error="A sentence.")
    look()
    event = tab.next(is_over)
    assert (event["turn"], event["error"]) == (str(turn.public_id), "A sentence.")
    assert "id" in event


def test_an_end_that_was_told_is_not_told_again(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    answer_rings(turn)
    tab.events(is_over)
    before = told(turn.conversation.public_id)
    ended_ago(turn.conversation, seconds=10)
    look(3)
    assert told(turn.conversation.public_id) == before


def test_what_came_while_redis_was_away_is_told_when_it_is_back(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner)
    first = sent(tab, model("stub-n5"))
    answer_rings(first)
    tab.events(is_over)
    ended_ago(first.conversation, seconds=10)
    look()
    lost = Turn.objects.create(conversation=first.conversation, user=owner, client_key="lost")
    over(lost)
    on_server(start_over)
    look()
    assert tab.next(is_over)["turn"] == str(lost.public_id)


async def none_has_ended(sockets: Sockets) -> None:
    assert not any(task.done() for task in sockets.hub._tasks)


def test_what_is_no_announcement_ends_no_listening(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    tab.next(lambda frame: frame["type"] == "turn")
    conversation = turn.conversation.public_id
    assert log.client().publish(log.CHANNEL, f"{conversation} nonsense\nnonsense") == 1
    answer_rings(turn)
    tab.events(is_over)
    on_server(none_has_ended)


def test_what_has_ended_is_asked_for_once(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    answer_rings(turn)
    tab.events(is_over)
    ended_ago(turn.conversation, seconds=10)
    look()
    before = told(turn.conversation.public_id)
    over(Turn.objects.create(conversation=turn.conversation, user=owner, client_key="later"))
    look(3)
    assert told(turn.conversation.public_id) == before


def test_the_end_of_a_turn_before_the_one_that_runs_is_told_once(
    opened: Open, owner: User, model: Model
) -> None:
    """Its worker was killed after the commit with which the next message in line began."""
    tab = opened(owner)
    first = sent(tab, model("stub-n5"))
    conversation = first.conversation
    tab.next(lambda frame: frame["type"] == "turn")
    over(first)
    Turn.objects.create(conversation=conversation, user=owner, client_key="b", status="waiting")
    look()
    assert tab.next(is_over)["turn"] == str(first.public_id)
    before = told(conversation.public_id)
    look(4)
    assert told(conversation.public_id) == before
    over(Turn.objects.get(client_key="b"))
    look()
    assert tab.next(is_over)["turn"] == str(Turn.objects.get(client_key="b").public_id)


def told_of(conversation: AConversation) -> Endings:
    return endings([conversation.row.public_id])[conversation.row.public_id]


@pytest.mark.parametrize("status", ["queued", "streaming", "waiting"])
def test_what_runs_is_not_over(owner: User, status: str) -> None:
    conversation = AConversation(owner)
    conversation.turn(status="done")
    ended_ago(conversation.row, minutes=2)
    conversation.turn(status=status)
    events, is_over = told_of(conversation)
    assert ([event["state"] for event in events], is_over) == (["done"], False)


def test_what_ended_just_now_is_left_to_its_own_process(owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn(status="done")
    ended_ago(conversation.row)
    assert told_of(conversation) == Endings([], is_over=False)


def test_what_ended_long_ago_has_no_log_any_more(owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn(status="done")
    ended_ago(conversation.row, hours=2)
    assert told_of(conversation) == Endings([], is_over=True)
    assert told_of(AConversation(owner)) == Endings([], is_over=True)


def test_of_many_turns_the_last_ends_are_compared(owner: User) -> None:
    conversation = AConversation(owner)
    for _ in range(MAX_ENDS_COMPARED + 2):
        conversation.turn(status="done")
    ended_ago(conversation.row, minutes=1)
    turns = conversation.row.turns.order_by("pk")[2:]
    assert [event["turn"] for event in told_of(conversation).events] == [
        str(turn.public_id) for turn in turns
    ]


def test_an_end_is_compared_however_many_messages_wait_after_it(owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn(status="done")
    ended_ago(conversation.row, minutes=1)
    for _ in range(MAX_ENDS_COMPARED + 2):
        conversation.turn(status="queued")
    events, is_over = told_of(conversation)
    assert ([event["state"] for event in events], is_over) == (["done"], False)


def test_all_that_a_process_follows_is_asked_for_in_one_query(
    owner: User, django_assert_num_queries: Any
) -> None:
    rows = [AConversation(owner) for _ in range(5)]
    for row in rows:
        row.turn(status="done")
        ended_ago(row.row, minutes=1)
    with django_assert_num_queries(1):
        found = endings([row.row.public_id for row in rows])
    assert [event["state"] for one in found.values() for event in one.events] == ["done"] * 5
