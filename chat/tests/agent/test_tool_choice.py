"""Which tools go along, where there are too many of them: a pure choice."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat.agent.tool_choice import FOR_EACH_MESSAGE, choose
from chat.llm.messages import Message
from tools.local.agent import SEARCH_TOOLS, TODO
from tools.values.tool import Tool

SUBJECTS = ("weather", "train", "mail", "music", "stock")


def tools_about(subject: str, count: int) -> list[Tool]:
    return [
        Tool(f"{subject}-{n}", f"All about {subject}", {}, server=subject) for n in range(count)
    ]


MANY = [TODO, SEARCH_TOOLS, *(tool for subject in SUBJECTS for tool in tools_about(subject, 10))]


def said(*texts: str) -> list[Message]:
    return [{"role": "user", "content": text} for text in texts]


def called(*names: str) -> Message:
    calls: Any = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in names
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def names(messages: list[Message], *activated: str, most: int = 20) -> list[str]:
    return [tool.name for tool in choose(MANY, activated, messages, most)]


def test_what_fits_the_message_is_sent_beside_what_was_named() -> None:
    found = names(said("What is the weather like?"))
    assert len(found) == 20
    assert found[:2] == ["todo", "search_tools"]
    assert [name for name in found if name.startswith("weather")] == [
        f"weather-{n}" for n in range(10)
    ]


def test_they_keep_the_order_in_which_they_are_offered() -> None:
    order = [tool.name for tool in MANY]
    found = names(said("music and trains"), "stock-9", "mail-3")
    assert found == sorted(found, key=order.index)


def test_a_new_message_brings_five_and_the_others_stay() -> None:
    before = set(names(said("the weather")))
    after = set(names(said("the weather", "some music")))
    assert len(after - before) == FOR_EACH_MESSAGE
    assert {f"music-{n}" for n in range(FOR_EACH_MESSAGE)} <= after


def test_a_message_that_fits_nothing_changes_nothing() -> None:
    assert names(said("the weather", "thanks!")) == names(said("the weather"))


def test_what_was_activated_or_called_stays() -> None:
    messages = [*said("the weather"), called("mail-7"), *said("music", "trains", "the weather")]
    found = names(messages, "stock-9", most=14)
    assert {"mail-7", "stock-9"} <= set(found)


def test_the_latest_searches_have_room_before_older_ones() -> None:
    activated = [f"mail-{n}" for n in range(10)] + [f"stock-{n}" for n in range(10)]
    found = names(said("the weather"), *activated, most=12)
    assert found == ["todo", "search_tools", *(f"mail-{n}" for n in range(10))]


def test_what_is_gone_takes_no_room() -> None:
    assert len(names(said("hello"), "gone-1", "gone-2")) == 20


def test_what_was_named_is_sent_even_beyond_the_limit() -> None:
    assert names(said("hello"), most=1) == ["todo", "search_tools"]


@given(
    st.lists(st.sampled_from([*SUBJECTS, "数据", "", "\x00"]), max_size=8),
    st.lists(st.sampled_from([tool.name for tool in MANY]), max_size=30),
    st.integers(min_value=2, max_value=60),
)
def test_it_fills_the_room_exactly_and_is_the_same_again(
    texts: list[str], activated: list[str], most: int
) -> None:
    found = names(said(*texts), *activated, most=most)
    assert len(found) == min(most, len(MANY))
    assert found == names(said(*texts), *activated, most=most)
