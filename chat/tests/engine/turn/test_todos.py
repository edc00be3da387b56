"""The list of what is to be done: what is taken, what is refused, when the model is reminded."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.agent import todos
from chat.agent.todos import REMINDER, merged, rendered
from chat.commands.fork import fork
from chat.models import LanguageModel, Message, Preset, Turn
from chat.tests.engine import delegating
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import attempts, calls, request

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Item = Mapping[str, Any]


def item(number: int, status: str = "pending", text: str = "a thing") -> todos.Item:
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


def test_an_update_may_name_the_status_alone_of_some_and_leave_others_out() -> None:
    known = [item(1, text="one"), item(2, text="two"), item(3, text="three")]
    given = [{"id": "3", "status": "completed"}, {"id": "1", "status": "in_progress", "text": ""}]
    items, problem = merged(known, given)
    assert problem == ""
    assert items == [item(3, "completed", "three"), item(1, "in_progress", "one")]


def test_two_items_of_one_id_are_refused() -> None:
    assert "an id of its own" in merged([], [item(1), item(1)])[1]
    assert "an id of its own" in merged([], [{**item(1), "id": " 1"}, item(1)])[1]


def test_a_text_stands_on_one_line() -> None:
    items, _ = merged([], [item(1, text="one\n[x] #2:  two\n")])
    assert rendered(items) == "[ ] #1: one [x] #2: two\n\n(0/1 completed)"


STATUS = st.sampled_from(["pending", "in_progress", "completed"])
WORDS = st.text(max_size=8)
LISTS = st.lists(
    st.fixed_dictionaries(
        {"id": st.one_of(st.integers(0, 5).map(str), WORDS), "status": STATUS},
        optional={"text": WORDS},
    ),
    max_size=24,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LISTS, max_size=3))
def test_whatever_is_given_a_list_that_is_taken_keeps_the_rules(updates: list[list[Item]]) -> None:
    known: list[todos.Item] = []
    for update in updates:
        items, problem = merged(known, update)
        if problem:
            continue
        assert [one["status"] for one in items] == [one["status"] for one in update]
        assert len({one["id"] for one in items}) == len(items) <= 20
        assert sum(one["status"] == "in_progress" for one in items) <= 1
        assert all(one["text"] for one in items)
        assert merged(items, [{"id": one["id"], "status": one["status"]} for one in items]) == (
            items,
            "",
        )
        assert len(rendered(items).split("\n")) == (len(items) + 2 if items else 1)
        known = items


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


def test_ids_may_be_numbers(agent: LanguageModel, send: Send) -> None:
    numbered = [{**item(1), "id": 1}, {**item(2, "in_progress"), "id": 2}]
    done = {"id": 1, "status": "completed"}
    turn = answer_rings(send(agent, f"{todo(*numbered)}\nthen\n{todo(done)}"))
    assert told(turn) == [
        "[ ] #1: a thing\n[>] #2: a thing\n\n(0/2 completed)",
        "[x] #1: a thing\n\n(1/1 completed)",
    ]


def test_an_unknown_item_without_a_text_leaves_the_list_as_it_was(
    agent: LanguageModel, send: Send
) -> None:
    unknown = {"id": "7", "status": "completed"}
    turn = answer_rings(send(agent, f"{todo(item(1))}\nthen\n{todo(unknown)}"))
    assert told(turn)[1] == "Error: item 7 is new and has no text. The list is as it was."
    turn.conversation.refresh_from_db()
    assert turn.conversation.todos == [item(1)]


def test_an_empty_list_says_so(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, f"{todo(item(1))}\nthen\n{todo()}"))
    assert told(turn)[1] == "No todos."


def test_a_list_of_twenty_one_is_an_error_result(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, todo(*[item(n) for n in range(21)])))
    (call,) = calls(turn)
    assert (call.status, call.attributes["is_error"]) == ("failed", True)
    assert "20 is the most" in told(turn)[0]


def test_the_request_after_a_reminder_ends_with_it(agent: LanguageModel, send: Send) -> None:
    sums = ['call calculate {"expr": "1+1"}\ncall calculate {"expr": "2+2"}'] * 3
    turn = answer_rings(send(agent, "\nthen\n".join([todo(item(1)), *sums])))
    sent = json.loads(request(attempts(turn)[-1]))["messages"]
    assert sent[-1]["role"] == "tool"
    assert sent[-1]["content"] == f"4\n\n{REMINDER}"
    assert sent[-2]["content"] == "2"


def test_a_subagent_has_a_list_of_its_own(agent: LanguageModel, send: Send) -> None:
    assert agent.preset is not None
    agent.preset.tools = ["todo", "task"]
    agent.preset.save()
    own = json.dumps({"prompt": todo(item(2, text="the subagent's"))})
    turn = delegating.run(send(agent, f"{todo(item(1))}\nthen\ncall task {own}"))
    (inner,) = delegating.nested(turn)
    turn.conversation.refresh_from_db()
    assert turn.conversation.todos == [item(1)]
    assert inner.conversation.todos == [item(2, text="the subagent's")]


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


def test_a_fork_has_the_list_as_it_was_then(agent: LanguageModel, send: Send) -> None:
    script = [todo(item(1)), todo(item(1, "in_progress")), todo(item(1, "completed"))]
    turn = answer_rings(send(agent, "\nthen\n".join(script)))
    assert turn.trace is not None
    made = fork(turn.user, turn.trace, 2).conversation
    made.refresh_from_db()
    assert made.todos == [item(1, "in_progress")]
