"""Deleting a message with what follows it, restoring it, and what is erased for good."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F

from chat.commands import conversations, deletion
from chat.engine.turn import claims
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.turn.test_branches import regenerate
from chat.turn_queue import line_of
from limits.chat import MAX_UNDO
from tracing.models import Span, Trace

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def turns(model: Model, send: Send) -> list[Turn]:
    """Three answered messages."""
    turns = [answer_rings(send(model("stub-r0-n5"), "1"))]
    for text in ("2", "3"):
        turns.append(answer_rings(send(model("stub-r0-n5"), text, turns[0].conversation)))
    return turns


def shown(turn: Turn) -> list[int]:
    return list(
        Turn.objects.shown_in(turn.conversation_id).order_by("pk").values_list("pk", flat=True)
    )


def let_time_pass(conversation: Conversation) -> None:
    deleted = Turn.objects.filter(conversation=conversation, deleted__isnull=False)
    deleted.update(deleted=F("deleted") - MAX_UNDO - timedelta(seconds=1))


def test_a_message_goes_with_what_follows_it_and_comes_back_as_it_was(
    turns: list[Turn], owner: User
) -> None:
    columns = [field.attname for field in Turn._meta.concrete_fields if field.name != "hidden"]
    before = list(Turn.objects.order_by("pk").values(*columns))
    messages = list(Message.objects.order_by("pk").values())
    deletion.delete(owner, turns[1].public_id)
    assert shown(turns[0]) == [turns[0].pk]
    deletion.restore(owner, turns[1].public_id)
    assert shown(turns[0]) == [turn.pk for turn in turns]
    assert list(Turn.objects.order_by("pk").values(*columns)) == before
    assert list(Message.objects.order_by("pk").values()) == messages


def test_the_next_message_follows_what_is_left(
    turns: list[Turn], owner: User, model: Model, send: Send
) -> None:
    deletion.delete(owner, turns[1].public_id)
    turn = answer_rings(send(model("stub-r0-n5"), "another 2", turns[0].conversation))
    assert turn.question is not None
    assert turn.question.parent == turns[0].answer


def test_the_first_message_can_be_deleted(
    turns: list[Turn], owner: User, model: Model, send: Send
) -> None:
    deletion.delete(owner, turns[0].public_id)
    assert shown(turns[0]) == []
    turn = answer_rings(send(model("stub-r0-n5"), "another 1", turns[0].conversation))
    assert turn.status == Turn.Status.DONE
    assert not Conversation.objects.get().is_branched
    deletion.restore(owner, turns[0].public_id)
    assert shown(turns[0]) == [one.pk for one in turns]
    assert Conversation.objects.get().is_branched  # there is a way back to the other one


def test_what_runs_is_stopped_and_what_waits_comes_back_into_line(
    turns: list[Turn], owner: User, model: Model, send: Send
) -> None:
    conversation = turns[0].conversation
    running = send(model("stub-r0-n5"), "4", conversation)
    claims.claim(running.pk, "its owner")
    waiting = send(model("stub-r0-n5"), "5", conversation)
    deletion.delete(owner, turns[2].public_id)
    assert line_of(conversation.pk) == []
    after = send(model("stub-r0-n5"), "another 3", conversation)
    assert after.is_in_line  # one turn runs at a time
    Turn.objects.filter(pk=running.pk).update(owner="")
    assert answer_rings(running).status == Turn.Status.STOPPED
    after.refresh_from_db()
    assert answer_rings(after).status == Turn.Status.DONE
    deletion.restore(owner, turns[2].public_id)
    assert answer_rings(Turn.objects.get(pk=waiting.pk)).status == Turn.Status.DONE
    assert shown(running) == [*(turn.pk for turn in turns), running.pk, waiting.pk]


def test_it_is_erased_for_good_when_it_cannot_be_restored_any_more(
    turns: list[Turn], owner: User
) -> None:
    deletion.delete(owner, turns[1].public_id)
    deletion.erase()
    assert Turn.objects.count() == 3
    let_time_pass(turns[0].conversation)
    deletion.erase()
    assert [turn.pk for turn in Turn.objects.all()] == [turns[0].pk]
    gone = [turn.trace_id for turn in turns[1:] if turn.trace_id]
    assert not Trace.objects.filter(pk__in=gone).exists()
    assert not Span.objects.filter(trace__in=gone).exists()
    assert set(Message.objects.values_list("turn", flat=True)) <= {None, turns[0].pk}
    with pytest.raises(Rejected, match="no longer exists"):
        deletion.restore(owner, turns[1].public_id)


def test_after_its_time_it_cannot_be_restored_although_it_is_not_erased_yet(
    turns: list[Turn], owner: User
) -> None:
    deletion.delete(owner, turns[1].public_id)
    conversation = Conversation.objects.get()
    over = (conversation.undoable[0] | {"at": "2020-01-01T00:00:00+00:00"},)
    Conversation.objects.update(deletions=list(over))
    with pytest.raises(Rejected, match="erased"):
        deletion.restore(owner, turns[1].public_id)


def test_two_deletions_are_undone_one_by_one(turns: list[Turn], owner: User) -> None:
    deletion.delete(owner, turns[2].public_id)
    deletion.delete(owner, turns[1].public_id)
    with pytest.raises(Rejected, match="Restore that one first"):
        deletion.restore(owner, turns[2].public_id)
    deletion.restore(owner, turns[1].public_id)
    assert shown(turns[0]) == [turns[0].pk, turns[1].pk]
    deletion.restore(owner, turns[2].public_id)
    assert shown(turns[0]) == [turn.pk for turn in turns]


def test_nobody_else_deletes_or_restores(turns: list[Turn], owner: User) -> None:
    other = User.objects.create_user("other")
    with pytest.raises(Rejected):
        deletion.delete(other, turns[1].public_id)
    deletion.delete(owner, turns[1].public_id)
    with pytest.raises(Rejected):
        deletion.restore(other, turns[1].public_id)


@pytest.fixture
def brief(owner: User) -> Preset:
    return Preset.objects.create(name="Brief", owner=owner, system_prompt="Be brief.")


def test_a_deleted_branch_takes_its_assistant_away_and_undo_brings_it_back(
    turns: list[Turn], brief: Preset
) -> None:
    turn = answer_rings(regenerate(turns[2], preset_id=brief.public_id))
    deletion.delete(turn.user, turn.public_id)
    assert Conversation.objects.get().preset is None
    deletion.restore(turn.user, turn.public_id)
    assert Conversation.objects.get().preset == brief


def test_an_assistant_that_was_chosen_stays_when_the_last_message_is_deleted(
    turns: list[Turn], owner: User, brief: Preset
) -> None:
    conversations.choose_preset(turns[0].conversation, brief)
    deletion.delete(owner, turns[2].public_id)
    deletion.restore(owner, turns[2].public_id)
    assert Conversation.objects.get().preset == brief
