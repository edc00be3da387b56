"""Whatever became of the turns of a conversation, what is sent alternates and loses no text."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat.agent.alternation import NO_ANSWER, alternating
from chat.agent.compaction import PathMessage, shortened, summarised, summary_boundary
from chat.llm.dialects import dialect
from chat.llm.history import complete_history
from chat.llm.messages import text_of
from chat.tests.engine.narrow import alternates

# What became of a turn, and how many rounds of calls it had before.
ENDS = ("answered", "failed", "stopped", "partial")
TURNS = st.lists(
    st.tuples(st.sampled_from(ENDS), st.integers(0, 2), st.integers(0, 3), st.booleans()),
    min_size=1,
    max_size=6,
)


def history(turns: list[tuple[str, int, int, bool]]) -> list[PathMessage]:
    """The path as it is stored: each turn's question, its rounds of calls, and its end."""
    bodies: list[Any] = [{"role": "system", "content": "Be short."}]
    for number, (end, rounds, answered, attached) in enumerate(turns):
        text = f"<question {number}>"
        parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": "x"}}]
        bodies.append({"role": "user", "content": parts if attached else text})
        for each in range(rounds):
            bodies += _round(f"{number}-{each}", answered if each == rounds - 1 else 3)
        if end in ("answered", "partial"):
            bodies.append({"role": "assistant", "content": f"<{end} {number}>"})
    bodies.append({"role": "user", "content": "<the last question>"})
    return [PathMessage(pk, body) for pk, body in enumerate(bodies, 1)]


def _round(name: str, answered: int) -> list[Any]:
    """Three calls, of which so many have a result: the others were stopped."""
    calls = [
        {"id": f"{name}-{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for n in range(3)
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": f"<result {call['id']}>"}
        for call in calls[:answered]
    ]
    return [{"role": "assistant", "content": "", "tool_calls": calls}, *results]


def said(messages: Any) -> str:
    return "".join(text_of(one.get("content")) for one in messages)


@given(TURNS)
def test_roles_alternate_and_no_text_of_a_person_is_lost(turns: Any) -> None:
    path = history(turns)
    sent = alternating(kept.body for kept in path)
    assert alternates(complete_history(sent))
    assert [kept.body for kept in path if kept.body["role"] == "tool"] == [
        one for one in sent if one["role"] == "tool"
    ]
    assert said(sent).replace("\n\n", "").replace(NO_ANSWER, "") == said(k.body for k in path)


@given(TURNS, st.integers(1, 6), st.integers(0, 12))
def test_so_they_do_after_a_summary_and_with_placeholders(
    turns: Any, keeps: int, shortest: int
) -> None:
    path = history(turns)
    upto = summary_boundary(path, keeps)
    path = shortened(summarised(path, "<summary>", upto), path[-1].pk, shortest).messages
    assert alternates(complete_history(alternating(kept.body for kept in path)))


@given(TURNS)
def test_it_changes_nothing_that_alternates(turns: Any) -> None:
    once = alternating(kept.body for kept in history(turns))
    assert alternating(once) == once


@given(TURNS)
def test_on_the_wire_of_every_dialect_no_two_messages_of_a_person_follow_each_other(
    turns: Any,
) -> None:
    sent = alternating(kept.body for kept in history(turns))
    for name in ("native", "nous", "functions", "anthropic"):
        wire = dialect(name).request(sent, [])
        roles = [one["role"] for one in wire.body["messages"]]
        assert ("user", "user") not in pairwise(roles), name


def test_a_question_after_results_follows_a_note() -> None:
    path = history([("failed", 1, 3, False)])
    assert [one["role"] for one in alternating(k.body for k in path)][-3:] == [
        "tool",
        "assistant",
        "user",
    ]
