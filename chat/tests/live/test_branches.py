"""Frames that begin branches, and what each tab is told."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.commands import branches
from chat.models import Conversation, Turn
from chat.tests.builders import AConversation, ATurn
from chat.tests.live.tabs import Open

Model = Callable[[str], str]


@pytest.fixture
def conversation(owner: User) -> AConversation:
    return AConversation(owner)


@pytest.fixture
def turn(conversation: AConversation) -> ATurn:
    return conversation.turn("one", "1")


def frame(conversation: AConversation, model: str | None = None, **more: Any) -> dict[str, Any]:
    about = {"key": uuid.uuid4().hex, "conversation": str(conversation.row.public_id)}
    return {"type": "send", "model": model, **about, **more}


def test_an_edit_shows_every_tab_the_branch_and_then_its_turn(
    opened: Open, owner: User, model: Model, conversation: AConversation, turn: ATurn
) -> None:
    tab, other = opened(owner), opened(owner)
    other.tell(type="open", conversation=str(conversation.row.public_id), cursor=None)
    assert other.next(lambda one: one["type"] == "snapshot")["elsewhere"] == []
    edit = frame(conversation, model("stub-n3"), text="uno", edit=str(turn.question.public_id))
    tab.tell(**edit)
    accepted = tab.next(lambda one: one["type"] == "accepted")
    told = [other.next(lambda one: one["type"] in ("branch", "turn")) for _ in range(2)]
    assert [one["type"] for one in told] == ["branch", "turn"]
    assert {one["turn"] for one in told} == {accepted["turn"]}


def test_a_regenerated_answer_needs_no_text(
    opened: Open, owner: User, model: Model, conversation: AConversation, turn: ATurn
) -> None:
    tab = opened(owner)
    tab.tell(**frame(conversation, model("stub-n3"), regenerate=str(turn.row.public_id)))
    accepted = tab.next(lambda one: one["type"] in ("accepted", "rejected"))
    made = Turn.objects.select_related("question").get(public_id=accepted["turn"])
    assert made.question is not None
    assert (made.original, made.question.body["content"]) == (turn.row, "one")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"edit": "nonsense", "text": "a"}, "does not exist"),
        ({"edit": str(uuid.uuid4()), "text": "a"}, "does not exist"),
        ({"regenerate": []}, "does not exist"),
        ({"continue": {"a": 1}}, "does not exist"),
        ({"edit": str(uuid.uuid4())}, "needs a text"),
        ({"edit": str(uuid.uuid4()), "continue": str(uuid.uuid4()), "text": "a"}, "Only one of"),
        ({"edit": str(uuid.uuid4()), "again": str(uuid.uuid4()), "text": "a"}, "Only one of"),
    ],
)
def test_nonsense_is_rejected_with_a_sentence(
    opened: Open,
    owner: User,
    model: Model,
    conversation: AConversation,
    turn: ATurn,
    fields: dict[str, Any],
    sentence: str,
) -> None:
    model("stub-n3")
    tab = opened(owner)
    tab.tell(**frame(conversation, **fields))
    assert sentence in tab.next(lambda one: one["type"] == "rejected")["error"]
    assert Turn.objects.count() == 1


def test_a_subagent_s_question_is_not_edited(
    opened: Open, owner: User, model: Model, conversation: AConversation, turn: ATurn
) -> None:
    model("stub-n3")
    (call,) = turn.round("Let me ask.", (("task", {}),))
    nested = AConversation(owner, "Nested", parent_call=call)
    asked = nested.turn("a task")
    tab = opened(owner)
    for within in (nested, conversation):
        tab.tell(**frame(within, text="a", edit=str(asked.question.public_id)))
        assert tab.next(lambda one: one["type"] == "rejected")["error"]
    assert Turn.objects.count() == 2


def test_going_to_another_branch_is_told_to_every_tab(
    opened: Open, owner: User, conversation: AConversation, turn: ATurn
) -> None:
    other = conversation.turn("uno", parent=None, is_shown=False)
    tab = opened(owner)
    tab.tell(type="open", conversation=str(conversation.row.public_id), cursor=None)
    tab.next(lambda one: one["type"] == "snapshot")
    branches.switch(Conversation.objects.get(pk=conversation.row.pk), other.row.public_id)
    told = tab.next(lambda one: one["type"] == "branch")
    assert told["turn"] == str(other.row.public_id)
