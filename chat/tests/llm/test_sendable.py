"""Whatever a history has gone through, what is sent of it is what the servers accept."""

import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import dialect
from chat.llm.dialects.qwen_agent import read_history
from chat.llm.messages import Message
from chat.llm.transcode import WRITERS
from chat.tests.llm.conversations import assistant, call, result, system, user
from chat.tests.llm.vectors.rounds import Conversations

ids = st.sampled_from(["a", "b", "a_2", "call_0_0", "f.f:0", ""])
words = st.sampled_from(["", " ", "a", "b\n", "北"])
calls = st.builds(call, st.sampled_from(["f", "a.b"]), st.sampled_from(["", "{}", "{"]), ids)
# Stopped, crashed, imported, edited: calls without results, results without calls, ids twice.
histories = st.lists(
    st.builds(user, words)
    | st.builds(system, words)
    | st.builds(result, words, ids)
    | st.builds(lambda text, asked: assistant(text, *asked), words, st.lists(calls, max_size=3)),
    max_size=8,
)


def sent(name: str, history: list[Message]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = dialect(name).request(history).body["messages"]
    return messages


@given(history=histories)
def test_native_answers_every_call_before_anything_else_is_said(history: list[Message]) -> None:
    open_ids: list[str] = []
    for message in sent("native", history):
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_ids.pop(0)
        else:
            assert open_ids == []
            open_ids = [one["id"] for one in message.get("tool_calls", [])]
            assert len({*open_ids, ""}) == len(open_ids) + 1
    assert open_ids == []


@given(history=histories)
def test_functions_answers_every_call_at_once(history: list[Message]) -> None:
    asked = None
    for message in sent("functions", history):
        assert (message["role"] == "function") == (asked is not None)
        assert message.get("name") == asked
        asked = message["function_call"]["name"] if "function_call" in message else None
    assert asked is None


@given(history=histories)
def test_anthropic_s_roles_take_turns_without_an_empty_block(history: list[Message]) -> None:
    wire = sent("anthropic", history)

    roles = [message["role"] for message in wire]
    assert all(role != following for role, following in pairwise(roles))
    blocks = [block for message in wire for block in message["content"]]
    assert all(message["content"] for message in wire)
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")


@given(history=histories)
def test_anthropic_answers_every_call_first_thing_in_the_next_message(
    history: list[Message],
) -> None:
    asked: list[str] = []
    every: list[str] = []
    for message in sent("anthropic", history):
        results = [one["tool_use_id"] for one in message["content"] if "tool_use_id" in one]
        assert results == asked
        assert all("tool_use_id" in one for one in message["content"][: len(results)])
        asked = [one["id"] for one in message["content"] if one["type"] == "tool_use"]
        every += asked
    assert asked == []
    assert len(set(every)) == len(every)
    assert all(re.fullmatch("[a-zA-Z0-9_-]+", one) for one in every)


@given(history=histories)
def test_nous_has_three_roles_and_text_alone(history: list[Message]) -> None:
    for message in sent("nous", history):
        assert list(message) == ["role", "content"]
        assert message["role"] in ("system", "user", "assistant")
        assert isinstance(message["content"], str)


@given(seed=st.integers(0, 10**6))
def test_qwen_agent_s_histories_come_back(seed: int) -> None:
    history = Conversations(seed).one()["messages"]
    exported = WRITERS["qwen-agent"].request(history).body["messages"]

    read, errors = read_history(exported)

    assert errors == []
    assert WRITERS["qwen-agent"].request(read).body["messages"] == exported
