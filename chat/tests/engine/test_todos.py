"""The list of what is to be done: what is taken, what is refused, when the model is reminded."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chat.agent import todos
from chat.agent.todos import REMINDER, merged, rendered
from chat.models import LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings

pytestmark = pytest.mark.engine

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Item = dict[str, Any]


def item(number: int, status: str = "pending", text: str = "a thing") -> Item:
    return {"id": str(number), "text": text, "status": status}


def test_the_list_is_rendered_with_its_marks_and_count() -> None:
    items = [item(1, "completed", "one"), item(2, "in_progress", "two"), item(3, text="three")]
    assert rendered(items) == "[x] #1: one\n[>] #2: two\n[ ] #3: three\n\n(1/3 completed)"
    assert rendered([]) == "No todos."


def test_twenty_items_are_the_most() -> None:
    assert merged([], [item(n) for n in range(20)])[1] == ""
    assert "20 is the most" in merged([], [item(n) for n in range(21)])[1]


def test_one_item_is_in_progress_at_most() -> None:
    assert "only one" in merged([], [item(1, "in_progress"), item(2, "in_progress")])[1]


def test_a_known_item_keeps_its_text() -> None:
    items, problem = merged([item(1, text="kept")], [{"id": "1", "status": "completed"}])
    assert (items, problem) == ([item(1, "completed", "kept")], "")


def test_a_new_item_needs_a_text() -> None:
    assert "has no text" in merged([], [{"id": "1", "status": "pending"}])[1]


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(name="Agent", tools=["todo", "calculate"])
    made.save()
    return made


def todo(*items: Item) -> str:
    return f"call todo {json.dumps({'items': items})}"


def told(turn: Turn) -> list[str]:
    messages = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in messages]


def test_a_refused_update_leaves_the_list_as_it_was(agent: LanguageModel, send: Send) -> None:
    two = (item(1, "in_progress"), item(2, "in_progress"))
    turn = answer_rings(send(agent, f"{todo(item(1))}\nthen\n{todo(*two)}"))
    assert told(turn)[1].startswith("Error: only one item")
    turn.conversation.refresh_from_db()
    assert turn.conversation.todos == [item(1)]


def test_the_model_is_reminded_after_exactly_three_rounds(agent: LanguageModel, send: Send) -> None:
    sums = ['call calculate {"expr": "1+1"}'] * 4
    turn = answer_rings(send(agent, "\nthen\n".join([todo(item(1)), *sums])))
    assert [REMINDER in one for one in told(turn)] == [False, False, False, True, False]
    body = Message.objects.filter(turn=turn, role="tool").order_by("pk")[3].body
    assert body["reminder"] == REMINDER


def test_nobody_is_reminded_of_what_is_done(agent: LanguageModel, send: Send) -> None:
    sums = ['call calculate {"expr": "1+1"}'] * 4
    turn = answer_rings(send(agent, "\nthen\n".join([todo(item(1, "completed")), *sums])))
    assert not any(REMINDER in one for one in told(turn))


def test_the_list_is_announced_as_it_is() -> None:
    assert todos.event([item(1)]) == {"type": "todos", "items": [item(1)]}
