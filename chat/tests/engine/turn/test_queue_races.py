"""The moment in which a message begins: what people do to it is done whole, or refused."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.commands import deletion, queue
from chat.engine.turn import claims, endings, journal
from chat.engine.turn.claims import Claim
from chat.engine.turn.steps import Finish
from chat.errors import Rejected
from chat.llm.messages import text_of
from chat.models import LanguageModel, Turn
from chat.turn_queue import line_of
from tests import patience

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def line(model: Model, send: Send) -> list[Turn]:
    """A running turn and three behind it."""
    first = send(model("stub-r0-n5"), "running")
    assert claims.claim(first.pk, "its owner") is not None
    texts = ("a", "b", "c")
    return [first, *(send(model("stub-r0-n5"), text, first.conversation) for text in texts)]


def together(*acts: Callable[[], Any]) -> list[BaseException]:
    """Does things at the same moment, each in a thread; what they raised beside refusals."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> None:
        start.wait(patience.SECONDS)
        try:
            with suppress(Rejected):
                act()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience.SECONDS)
        assert not thread.is_alive()
    return errors


def test_others_move_after_one_between_them_was_withdrawn(line: list[Turn], owner: User) -> None:
    running, a, b, c = line
    deletion.withdraw(owner, b.public_id)
    queue.move(owner, c.public_id, a.public_id)
    assert [turn.public_id for turn in line_of(running.conversation_id)] == [
        c.public_id,
        a.public_id,
    ]
    deletion.restore(owner, b.public_id)
    assert {turn.public_id for turn in line_of(running.conversation_id)} == {
        turn.public_id for turn in (a, b, c)
    }


def test_two_are_withdrawn_and_come_back_in_either_order(line: list[Turn], owner: User) -> None:
    running, a, b, c = line
    for first, second in ((a, b), (b, a)):
        deletion.withdraw(owner, b.public_id)
        deletion.withdraw(owner, a.public_id)
        deletion.restore(owner, first.public_id)
        deletion.restore(owner, second.public_id)
        waiting = line_of(running.conversation_id)
        assert {turn.public_id for turn in waiting} == {a.public_id, b.public_id, c.public_id}


def end(turn: Turn) -> None:
    """What the owner does at the end of a turn."""
    stored = Turn.objects.get(public_id=turn.public_id)
    claim = Claim(stored.pk, stored.owner, stored.epoch)
    endings.finish_between_generations(claim, journal.read(stored.pk), Finish(Turn.Status.DONE))


@pytest.mark.parametrize("repetition", range(4))
def test_one_turn_begins_and_the_others_stay_whatever_happens_at_that_moment(
    line: list[Turn], owner: User, repetition: int
) -> None:
    running, a, b, c = line
    errors = together(
        lambda: end(running),
        lambda: queue.move(owner, c.public_id, a.public_id),
        lambda: queue.edit(owner, a.public_id, "edited"),
        lambda: deletion.withdraw(owner, b.public_id),
        lambda: queue.send_now(owner, c.public_id),
    )
    assert errors == []
    turns = Turn.objects.filter(conversation=running.conversation)
    begun = turns.begun()
    assert begun.count() <= 1 or begun.filter(stop_requested=None).count() <= 1
    assert begun.exists()
    waiting = {turn.public_id for turn in line_of(running.conversation_id)}
    known = {turn.public_id for turn in begun} | waiting
    withdrawn = {turn.public_id for turn in turns.filter(deleted__isnull=False)}
    assert known | withdrawn >= {a.public_id, b.public_id, c.public_id}
    assert not known & withdrawn
    for turn in turns.filter(parent__isnull=False).select_related("parent"):
        assert turn.parent is not None
        assert turn.parent.pk < turn.pk
    questions = [turn.question for turn in turns.select_related("question")]
    texts = sorted(text_of(one.body["content"]) for one in questions if one)
    assert texts in (["a", "b", "c", "running"], ["b", "c", "edited", "running"])


def test_two_tabs_that_move_at_once_leave_one_order(line: list[Turn], owner: User) -> None:
    _, a, b, c = line
    errors = together(
        lambda: queue.move(owner, c.public_id, a.public_id),
        lambda: queue.move(owner, a.public_id, None),
        lambda: queue.move(owner, b.public_id, None),
    )
    assert errors == []
    order = line_of(a.conversation_id)
    assert {turn.public_id for turn in order} == {a.public_id, b.public_id, c.public_id}
    assert [turn.parent_id for turn in order[1:]] == [turn.pk for turn in order[:-1]]


def test_a_deletion_at_the_end_of_a_turn_leaves_nothing_that_runs(
    line: list[Turn], owner: User
) -> None:
    running, a, *_ = line
    errors = together(lambda: end(running), lambda: deletion.delete(owner, running.public_id))
    assert errors == []
    assert not Turn.objects.filter(deleted=None).exists()
    begun = Turn.objects.begun()
    assert not begun.filter(stop_requested=None).exists()
    assert line_of(a.conversation_id) == []
