"""Branches that are changed at the moment in which a turn ends, and in two tabs at once."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.commands import branches, comparisons, deletion
from chat.commands.alternatives import Alternative, Edit, Regenerate
from chat.commands.comparisons import Compared
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.turn import claims
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.turn.test_queue_races import end, together
from chat.turn_queue import Moved, lock_with_running

pytestmark = [pytest.mark.postgres, pytest.mark.long]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def running(model: Model, send: Send) -> Turn:
    """A turn that runs, after one that is answered."""
    first = answer_rings(send(model("stub-n3"), "first"))
    turn = send(model("stub-n3"), "running", first.conversation)
    assert claims.claim(turn.pk, "its owner") is not None
    return turn


def instead(turn: Turn, alternative: Alternative) -> Turn:
    message = NewMessage(
        uuid.uuid4().hex, "other", turn.conversation.public_id, alternative=alternative
    )
    return send_message(turn.user, message)


def edit(turn: Turn) -> Turn:
    assert turn.question is not None
    return instead(turn, Edit(turn.question.public_id))


def assert_one_path(conversation: Conversation) -> None:
    shown = Turn.objects.filter(conversation=conversation, is_shown=True).order_by("pk")
    before = None
    for turn in shown:
        assert turn.parent_id == before
        before = turn.pk
    assert not Turn.objects.filter(parent=before).exclude(retried_by=None).exists()


@pytest.mark.parametrize("repetition", range(3))
def test_a_turn_that_ends_while_tabs_change_branches_never_stands_against_them(
    running: Turn, owner: User, repetition: int
) -> None:
    parent = running.parent
    assert parent is not None
    edited = edit(running)
    errors = together(
        lambda: end(running),
        lambda: branches.switch(running.conversation, running.public_id),
        lambda: edit(parent),
        lambda: instead(running, Regenerate(running.public_id)),
        lambda: branches.switch(running.conversation, edited.public_id),
        lambda: deletion.delete(owner, edited.public_id),
    )
    assert errors == []
    assert_one_path(running.conversation)


@pytest.mark.parametrize("repetition", range(3))
def test_two_tabs_that_choose_at_the_end_of_an_answer_choose_one(
    model: Model, owner: User, repetition: int
) -> None:
    compared = [Compared(model(name).public_id) for name in ("stub-n3", "stub-n4", "stub-n5")]
    turn = send_message(owner, NewMessage("compared", "hello", compared=compared))
    turns = list(Turn.objects.compared_with(turn))
    for one in turns:
        assert claims.claim(one.pk, "its owner") is not None
    errors = together(
        lambda: end(turns[0]),
        lambda: end(turns[1]),
        lambda: comparisons.choose(owner, turns[1].public_id),
        lambda: comparisons.choose(owner, turns[2].public_id),
    )
    assert errors == []
    assert not Turn.objects.filter(is_compared=True).exists()
    assert Turn.objects.filter(is_shown=True).count() == 1
    left = Turn.objects.open().exclude(is_shown=True)
    assert not left.filter(stop_requested=None).exists()


def test_who_changes_branches_locks_what_runs_before_the_conversation(
    running: Turn, owner: User
) -> None:
    """In the order in which the end of a turn does: two that lock in turn would stand for ever."""
    other = edit(running)
    acts: list[Callable[[], object]] = [
        lambda: branches.switch(running.conversation, running.public_id),
        lambda: edit(running),
        lambda: instead(running, Regenerate(running.public_id)),
        lambda: deletion.delete(owner, other.public_id),
    ]
    for act in acts:
        with CaptureQueriesContext(connection) as queries:
            act()
        locks = [query["sql"] for query in queries if query["sql"].startswith("UPDATE")]
        assert locks[0].startswith('UPDATE "chat_turn"')
        assert locks[1].startswith('UPDATE "chat_conversation"')


def test_a_turn_that_ends_before_it_is_locked_is_not_held(running: Turn) -> None:
    """Whoever has the conversation may write it, and two would wait for each other."""

    def end_first(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if '"seen" = ' in sql and Turn.objects.begun().exists():
            Turn.objects.filter(pk=running.pk).update(status="done", ended=timezone.now())
        return execute(sql, *arguments)

    with transaction.atomic(), connection.execute_wrapper(end_first), pytest.raises(Moved):
        lock_with_running(running.conversation_id)


def test_a_question_edited_in_two_tabs_at_once_has_two_versions(running: Turn) -> None:
    errors = together(lambda: edit(running), lambda: edit(running))
    assert errors == []
    assert Turn.objects.filter(parent=running.parent, deleted=None).count() == 3
    assert_one_path(running.conversation)


def test_an_edit_of_what_another_tab_deleted_says_so(running: Turn, owner: User) -> None:
    deletion.delete(owner, running.public_id)
    with pytest.raises(Rejected, match="It may have been deleted"):
        edit(running)


def a_thousand(turn: Turn, *, deep: bool) -> Turn:
    """Turns beside this one, or each after the one before; the last one."""
    parent = turn.parent
    last = turn
    for number in range(1_000):
        last = Turn.objects.create(
            conversation=turn.conversation,
            user=turn.user,
            client_key=f"many-{number}",
            parent=last if deep else parent,
            is_shown=deep,
            status=Turn.Status.DONE,
        )
    branches.mark(turn.conversation)
    return last


@pytest.mark.parametrize("deep", [False, True], ids=["beside", "deep"])
def test_with_a_thousand_branches_a_change_takes_as_many_statements_as_with_one(
    model: Model, send: Send, deep: bool
) -> None:
    first = answer_rings(send(model("stub-n3"), "first"))
    turn = answer_rings(send(model("stub-n3"), "second", first.conversation))
    few = statements_of_changes(turn)
    a_thousand(turn, deep=deep)
    assert statements_of_changes(turn) <= few + 2


def statements_of_changes(turn: Turn) -> int:
    """Of an edit of its question, and of the way back to it."""
    with CaptureQueriesContext(connection) as queries:
        edited = edit(turn)
        branches.switch(turn.conversation, turn.public_id)
        branches.switch(turn.conversation, edited.public_id)
    answer_rings(edited)
    return len(queries)
