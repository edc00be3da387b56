"""Edited questions, answers that are regenerated and gone on with: branches of a conversation."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test.utils import CaptureQueriesContext

from chat.commands import branches, conversations
from chat.commands.alternatives import CONTINUE, Alternative, Continue, Edit, Regenerate
from chat.commands.compact import compact_conversation
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.context import history
from chat.errors import Rejected
from chat.live.snapshot import snapshot
from chat.models import Compaction, Conversation, LanguageModel, Message, Preset, Turn
from chat.presentation.branches import Choices
from chat.presentation.thread import thread
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import attempts, request, stop, wait_for

pytestmark = [pytest.mark.postgres, pytest.mark.long]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
GONE = "does not exist"


def instead(turn: Turn, alternative: Alternative, text: str = "", **more: Any) -> Turn:
    """As the page does it, not answered yet."""
    return send_message(
        turn.user,
        NewMessage(
            key=str(uuid.uuid4()),
            text=text,
            conversation_id=turn.conversation.public_id,
            alternative=alternative,
            **{"model_id": turn.model.public_id if turn.model else None, **more},
        ),
    )


def edit(turn: Turn, text: str) -> Turn:
    assert turn.question is not None
    return instead(turn, Edit(turn.question.public_id), text)


def regenerate(turn: Turn, **more: Any) -> Turn:
    return instead(turn, Regenerate(turn.public_id), **more)


def go_to(turn: Turn) -> None:
    branches.switch(Conversation.objects.get(pk=turn.conversation_id), turn.public_id)


def wire(turn: Turn) -> list[tuple[str, Any]]:
    sent = json.loads(request(attempts(turn)[-1]))["messages"]
    return [(message["role"], message["content"]) for message in sent]


def asked(turn: Turn) -> list[Any]:
    """The questions that a request had."""
    return [content for role, content in wire(turn) if role == "user"]


def shown(turn: Turn) -> list[Turn]:
    conversation = Conversation.objects.get(pk=turn.conversation_id)
    turns = [view.turn for view in thread(conversation).turns]
    assert_one_path(turn.conversation_id)
    return turns


def assert_one_path(conversation: int) -> None:
    """The shown turns are a path from a root to a leaf."""
    rows = Turn.objects.filter(conversation=conversation)
    path = list(rows.filter(is_shown=True).order_by("pk").values_list("pk", "parent"))
    keys = [None, *(pk for pk, _ in path)]
    assert [parent for _, parent in path] == keys[:-1]
    children = rows.filter(parent=keys[-1], retried_by=None)
    assert not children.exists()


def choices(turn: Turn) -> Choices:
    views = thread(Conversation.objects.get(pk=turn.conversation_id)).turns
    return next(view.choices for view in views if view.turn == turn)


@pytest.fixture
def first(model: Model, send: Send) -> Turn:
    return answer_rings(send(model("stub-n3"), "one"))


@pytest.fixture
def second(first: Turn, model: Model, send: Send) -> Turn:
    return answer_rings(send(model("stub-n3"), "two", first.conversation))


def test_an_edited_question_begins_a_branch_and_nothing_is_deleted(
    first: Turn, second: Turn
) -> None:
    edited = answer_rings(edit(first, "uno"))
    assert asked(edited) == ["uno"]
    assert shown(first) == [edited]
    assert Turn.objects.filter(conversation=first.conversation).count() == 3
    assert edited.conversation == first.conversation


def test_an_edit_in_the_middle_keeps_what_is_before_it(first: Turn, second: Turn) -> None:
    edited = answer_rings(edit(second, "dos"))
    assert asked(edited) == ["one", "dos"]
    assert shown(first) == [first, edited]


def test_the_next_message_follows_the_branch_that_is_shown(
    first: Turn, second: Turn, model: Model, send: Send
) -> None:
    answer_rings(edit(first, "uno"))
    third = answer_rings(send(model("stub-n3"), "three", first.conversation))
    assert asked(third) == ["uno", "three"]
    go_to(first)
    assert shown(first) == [first, second]
    fourth = answer_rings(send(model("stub-n3"), "four", first.conversation))
    assert asked(fourth) == ["one", "two", "four"]


def test_going_back_shows_the_leaf_that_was_shown_last(
    first: Turn, second: Turn, model: Model, send: Send
) -> None:
    dos = answer_rings(edit(second, "dos"))
    go_to(second)
    edited = answer_rings(edit(first, "uno"))
    go_to(first)
    assert shown(first) == [first, second]
    go_to(dos)
    go_to(edited)
    go_to(first)
    assert shown(first) == [first, dos]


def test_a_regenerated_answer_has_the_same_question_and_another_model(
    second: Turn, model: Model
) -> None:
    other = model("stub-n5")
    turn = answer_rings(regenerate(second, model_id=other.public_id))
    assert asked(turn) == ["one", "two"]
    assert (turn.model, turn.original) == (other, second)
    third = answer_rings(regenerate(turn, model_id=None))
    assert (third.model, third.original) == (other, second)


def test_a_regenerated_answer_may_be_of_another_assistant(second: Turn) -> None:
    preset = Preset.objects.create(name="Brief", system_prompt="Be brief.", published=True)
    turn = answer_rings(regenerate(second, preset_id=preset.public_id))
    assert wire(turn)[0] == ("system", "Be brief.")
    assert Conversation.objects.get(pk=turn.conversation_id).preset == preset
    go_to(second)
    assert Conversation.objects.get(pk=turn.conversation_id).preset is None


def test_a_branch_goes_on_with_the_prompt_that_it_was_left_with(
    first: Turn, second: Turn, model: Model, send: Send
) -> None:
    preset = Preset.objects.create(name="Brief", system_prompt="Be brief.", published=True)
    answer_rings(regenerate(second, preset_id=preset.public_id))
    go_to(second)
    third = answer_rings(send(model("stub-n3"), "three", first.conversation))
    assert [role for role, _ in wire(third)] == ["user", "assistant", "user", "assistant", "user"]


def test_an_assistant_that_was_chosen_later_answers_an_edited_question(
    first: Turn, second: Turn
) -> None:
    preset = Preset.objects.create(name="Brief", system_prompt="Be brief.", published=True)
    conversations.choose_preset(Conversation.objects.get(pk=first.conversation_id), preset)
    edited = answer_rings(edit(first, "uno"))
    assert wire(edited) == [("system", "Be brief."), ("user", "uno")]
    again = answer_rings(edit(edited, "eins"))
    assert wire(again) == [("system", "Be brief."), ("user", "eins")]


def test_an_edited_prompt_of_the_first_turn_is_not_that_of_another_branch(
    first: Turn, model: Model, send: Send
) -> None:
    preset = Preset.objects.create(name="Brief", system_prompt="Be brief.", published=True)
    answer_rings(regenerate(first, preset_id=preset.public_id))
    go_to(first)
    assert wire(answer_rings(edit(first, "uno"))) == [("user", "uno")]


def test_the_page_says_which_version_is_shown(first: Turn, second: Turn) -> None:
    edited = answer_rings(edit(second, "dos"))
    again = answer_rings(regenerate(edited))
    at = choices(again)
    assert at.questions is not None
    assert at.answers is not None
    assert (at.questions.number, at.questions.count, at.questions.before) == (
        2,
        2,
        second.public_id,
    )
    assert (at.answers.number, at.answers.count, at.answers.before) == (2, 2, edited.public_id)
    assert (at.questions.after, at.answers.after) == (None, None)
    assert choices(first) == Choices()


def test_an_edited_question_leads_to_the_answer_that_was_shown_last(
    first: Turn, second: Turn
) -> None:
    edited = answer_rings(edit(second, "dos"))
    answer_rings(regenerate(edited))
    go_to(edited)
    go_to(second)
    at = choices(second).questions
    assert at is not None
    assert at.after == edited.public_id


def test_what_was_tried_again_is_no_version(model: Model, send: Send) -> None:
    failed = answer_rings(send(model("stub-f401"), "one"))
    assert failed.question is not None
    message = NewMessage(
        key="again",
        text="one",
        model_id=model("stub-n3").public_id,
        conversation_id=failed.conversation.public_id,
        again=failed.question.public_id,
    )
    retried = answer_rings(send_message(failed.user, message))
    edited = answer_rings(edit(retried, "uno"))
    at = choices(edited).questions
    assert at is not None
    assert (at.number, at.count, at.before) == (2, 2, retried.public_id)
    go_to(failed)
    assert shown(failed) == [retried]


def test_a_turn_of_a_branch_that_is_left_goes_on(first: Turn, model: Model, send: Send) -> None:
    running = send(model("stub-n3"), "two", first.conversation)
    edited = edit(running, "dos")
    assert edited.wakeups == 0
    at = choices(edited).questions
    assert at is not None
    assert at.is_busy
    frame, _ = snapshot(first.conversation)
    assert frame["elsewhere"] == [str(running.public_id)]
    assert [turn["turn"] for turn in frame["turns"]] == [
        str(first.public_id),
        str(edited.public_id),
    ]
    assert answer_rings(running).status == "done"
    assert asked(running) == ["one", "two"]
    assert asked(answer_rings(edited)) == ["one", "dos"]


def test_a_message_behind_a_running_one_follows_its_branch(
    first: Turn, model: Model, send: Send
) -> None:
    running = send(model("stub-n3"), "two", first.conversation)
    waiting = send(model("stub-n3"), "three", first.conversation)
    edited = edit(running, "dos")
    behind = send(model("stub-n3"), "four", first.conversation)
    for turn in (running, waiting, edited, behind):
        answer_rings(turn)
    assert asked(waiting) == ["one", "two", "three"]
    assert asked(behind) == ["one", "dos", "four"]
    assert shown(first) == [first, edited, behind]


def test_a_message_that_waits_is_not_edited(first: Turn, model: Model, send: Send) -> None:
    send(model("stub-n3"), "two", first.conversation)
    waiting = send(model("stub-n3"), "three", first.conversation)
    with pytest.raises(Rejected, match="waits in the queue"):
        edit(waiting, "tres")


def test_a_second_tab_that_edits_what_is_not_shown_any_more_gets_a_branch(
    first: Turn, second: Turn
) -> None:
    one = answer_rings(edit(first, "uno"))
    two = answer_rings(edit(second, "dos"))
    assert asked(two) == ["one", "dos"]
    assert shown(first) == [first, two]
    go_to(one)
    assert shown(first) == [one]


def test_the_same_key_gives_the_same_branch(first: Turn) -> None:
    assert first.question is not None
    message = NewMessage(
        key="once",
        text="uno",
        conversation_id=first.conversation.public_id,
        alternative=Edit(first.question.public_id),
    )
    assert send_message(first.user, message) == send_message(first.user, message)
    assert Turn.objects.filter(conversation=first.conversation).count() == 2


def test_a_message_of_another_person_is_none(first: Turn, owner: User, model: Model) -> None:
    other = User.objects.create_user("other")
    own = answer_rings(
        send_message(other, NewMessage("k", "mine", model_id=model("stub-n3").public_id))
    )
    assert first.question is not None
    for alternative in (
        Edit(first.question.public_id),
        Regenerate(first.public_id),
        Continue(first.public_id),
    ):
        with pytest.raises(Rejected, match=GONE):
            instead(own, alternative, "theirs")
    with pytest.raises(Rejected, match=GONE):
        branches.switch(own.conversation, first.public_id)


def test_an_answer_that_was_stopped_is_gone_on_with(first: Turn, model: Model, send: Send) -> None:
    stopped = send(model("stub-n3"), "two", first.conversation)
    stop(stopped)
    answer_rings(stopped)
    wait_for(lambda: Turn.objects.get(pk=stopped.pk).status == "stopped")
    with pytest.raises(Rejected, match="was not cut off"):  # there is nothing of it
        instead(stopped, Continue(stopped.public_id))
    body = {"role": "assistant", "content": "On the one hand"}
    Message.objects.create(
        conversation=stopped.conversation,
        turn=stopped,
        parent=stopped.question,
        role="assistant",
        body=body,
    )
    turn = answer_rings(instead(stopped, Continue(stopped.public_id)))
    assert wire(turn)[-2:] == [("assistant", "On the one hand"), ("user", CONTINUE)]
    assert turn.continues
    assert shown(first) == [first, stopped, turn]
    with pytest.raises(Rejected, match="cannot be edited"):
        edit(turn, "something else")


def test_an_answer_that_is_whole_or_has_followers_is_not_gone_on_with(
    first: Turn, second: Turn
) -> None:
    with pytest.raises(Rejected, match="was not cut off"):
        instead(second, Continue(second.public_id))
    with pytest.raises(Rejected, match="Other messages follow"):
        instead(first, Continue(first.public_id))


def test_a_summary_counts_on_the_branch_whose_messages_it_covers(
    first: Turn, second: Turn, model: Model, send: Send
) -> None:
    assert second.answer is not None
    Compaction.objects.create(
        conversation=first.conversation, kind="summary", upto=second.answer, summary="Both."
    )
    third = answer_rings(send(model("stub-n3"), "three", first.conversation))
    assert "Both." in str(wire(third))
    edited = answer_rings(edit(second, "dos"))
    assert "Both." not in str(wire(edited))


def test_a_summary_that_was_asked_for_is_of_the_shown_branch(
    first: Turn, second: Turn, model: Model
) -> None:
    answer_rings(edit(first, "uno"))
    with pytest.raises(Rejected, match="too few"):
        compact_conversation(first.user, first.conversation, key="k")
    assert shown(first)[-1].question is not None


def test_a_cycle_cannot_be_stored(first: Turn, second: Turn) -> None:
    for parent in (first, second):
        with pytest.raises(IntegrityError), transaction.atomic():
            Turn.objects.filter(pk=first.pk).update(parent=parent)


def test_a_turn_reads_the_messages_of_its_branch_alone(
    first: Turn, second: Turn, model: Model, send: Send, django_assert_max_num_queries: Any
) -> None:
    for number in range(3):
        answer_rings(edit(second, f"number {number}"))
    turn = answer_rings(send(model("stub-n3"), "end", first.conversation))
    read = Turn.objects.select_related("conversation").get(pk=turn.pk)
    with django_assert_max_num_queries(1) as queries:
        past = history.read(read)
    assert isinstance(queries, CaptureQueriesContext)
    contents = [message["content"] for message in past.messages if message["role"] == "user"]
    assert contents == ["one", "number 2", "end"]
