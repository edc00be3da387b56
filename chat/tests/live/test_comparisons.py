"""Answers side by side over the websocket: their events interleave, a choice reaches every tab."""

import threading
import uuid
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.commands import comparisons
from chat.engine.turn.advance import advance
from chat.models import Conversation, Preset, Turn
from chat.tests.live.tabs import Frame, Open, Tab, is_over, text_of
from tests import patience

Model = Callable[[str], str]


def compare(tab: Tab, *models: str, **more: Any) -> Frame:
    """The answer to a message that these models are to answer side by side."""
    compared = [{"model": model} for model in models]
    message = {"conversation": None, "model": None, "text": "which?", "compare": compared}
    tab.tell(type="send", key=uuid.uuid4().hex, **{**message, **more})
    return tab.next(lambda frame: frame["type"] in ("accepted", "rejected"))


def test_each_answer_is_a_turn_and_their_events_interleave(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner)
    accepted = compare(tab, model("stub-r40-n40"), model("stub-r40-n30"))
    turns = list(Turn.objects.order_by("lane"))
    assert accepted["turn"] == str(turns[0].public_id)
    threads = [threading.Thread(target=advance, args=(turn.pk,)) for turn in turns]
    for thread in threads:
        thread.start()
    over: set[str] = set()

    def is_last(frame: Frame) -> bool:
        if is_over(frame):
            over.add(frame["turn"])
        return len(over) == 2

    events = tab.events(is_last)
    for thread in threads:
        thread.join(patience.SECONDS)
    order = [frame["turn"] for frame in events if frame["type"] == "delta"]
    changes = sum(one != other for one, other in pairwise(order))
    assert changes > 2
    for turn in Turn.objects.select_related("answer"):
        own = [frame for frame in events if frame.get("turn") == str(turn.public_id)]
        assert turn.answer is not None
        assert text_of(own) == turn.answer.body["content"]
        told = {frame["comparison"] for frame in own if frame["type"] == "turn"}
        assert told == {str(turn.comparison)}


def test_a_tab_that_comes_later_and_the_other_see_the_same_and_the_choice(
    opened: Open, owner: User, model: Model
) -> None:
    tab, other = opened(owner), opened(owner)
    compare(tab, model("stub-n3"), model("stub-n4"), model("stub-n5"))
    turns = list(Turn.objects.order_by("lane"))
    conversation = str(Conversation.objects.get().public_id)
    snapshot = other.ask(type="open", conversation=conversation, cursor=None)
    assert [one["turn"] for one in snapshot["turns"]] == [str(one.public_id) for one in turns]
    assert {one["comparison"] for one in snapshot["turns"]} == {str(turns[0].comparison)}
    assert snapshot["elsewhere"] == []
    comparisons.choose(owner, turns[2].public_id)
    for one in (tab, other):
        assert one.next(lambda frame: frame["type"] == "branch")["turn"] == str(turns[2].public_id)
    snapshot = other.ask(type="open", conversation=conversation, cursor=None)
    assert [one["turn"] for one in snapshot["turns"]] == [str(turns[2].public_id)]
    assert snapshot["turns"][0]["comparison"] is None
    assert snapshot["elsewhere"] == [str(one.public_id) for one in turns[:2]]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"compare": "nonsense"}, "no longer exists"),
        ({"compare": [1, 2]}, "no longer exists"),
        ({"compare": [{"model": str(uuid.uuid4())}] * 2}, "there twice"),
        ({"compare": [{"model": str(uuid.uuid4())}, {"model": str(uuid.uuid4())}]}, "no longer"),
        ({"compare": [{"preset": str(uuid.uuid4())}, {"preset": str(uuid.uuid4())}]}, "no longer"),
        ({"compare": [{"model": str(uuid.uuid4()), "preset": str(uuid.uuid4())}]}, "no longer"),
        ({"compare": []}, ""),
        ({"again": str(uuid.uuid4())}, "compared to a new message"),
        ({"edit": str(uuid.uuid4())}, "compared to a new message"),
        ({"text": " "}, "empty"),
        ({"compare": [{"model": str(uuid.uuid4())}] * 5_000}, "cannot be compared"),
    ],
)
def test_nonsense_is_rejected_with_a_sentence(
    opened: Open, owner: User, model: Model, fields: dict[str, Any], sentence: str
) -> None:
    tab = opened(owner)
    answer = compare(tab, model("stub-n3"), model("stub-n4"), **fields)
    if sentence:
        assert sentence in answer["error"]
        assert not Turn.objects.exists()
    else:
        assert answer["type"] == "accepted"


def test_an_assistant_of_another_person_answers_nobody_else(
    opened: Open, owner: User, model: Model
) -> None:
    theirs = Preset.objects.create(name="Theirs", owner=User.objects.create_user("other"))
    compared = [{"model": model("stub-n3")}, {"preset": str(theirs.public_id)}]
    answer = compare(opened(owner), compare=compared)
    assert "no longer exists" in answer["error"]
