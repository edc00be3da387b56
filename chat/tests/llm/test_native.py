"""Rule 16 of the dialects' specification, and whole native answers."""

from typing import Any

import pytest

from chat.llm.dialects.contract import Origin, TextDelta
from chat.llm.dialects.native import Native
from chat.llm.history import INTERRUPTED
from chat.llm.messages import Message
from chat.tests.llm.conversations import (
    WEATHER,
    apply,
    asked,
    assistant,
    call,
    ids,
    piece,
    result,
    user,
)
from chat.tests.llm.test_parts import file

native = Native()


# Requests


def test_keys_that_are_ours_are_not_sent() -> None:
    history: list[Message] = [
        {"role": "user", "content": "?", "name": "Mia"},
        {**assistant("", call("f")), "reasoning_content": "hm", "refusal": "no"},
        {**result("boom"), "is_error": True},
    ]

    assert native.request(history).body["messages"] == [
        {"role": "user", "content": "?", "name": "Mia"},
        assistant("", call("f")),
        result("boom"),
    ]


def test_keys_of_a_call_that_are_not_openai_s_are_not_sent() -> None:
    odd: Any = {**call("f"), "index": 0, "function": {"name": "f", "arguments": "{}", "x": 1}}

    (sent, _) = native.request([assistant("", odd)]).body["messages"]

    assert sent["tool_calls"] == [call("f")]


@pytest.mark.parametrize("arguments", ["", '{"a":  1}', '{"a": 1e5}', "{broken", "\u2028"])
def test_arguments_are_sent_exactly(arguments: str) -> None:
    (sent, _) = native.request([assistant(None, call("f", arguments))]).body["messages"]

    assert sent["tool_calls"][0]["function"]["arguments"] == arguments


@pytest.mark.parametrize("content", ["text", "", None, [{"type": "image_url", "image_url": {}}]])
def test_content_is_sent_as_it_is(content: Any) -> None:
    assert native.request([{"role": "user", "content": content}]).body["messages"] == [
        {"role": "user", "content": content}
    ]


def test_an_empty_list_of_calls_is_not_sent() -> None:
    message: Message = {"role": "assistant", "content": "hi", "tool_calls": []}

    assert native.request([message]).body["messages"] == [{"role": "assistant", "content": "hi"}]


def test_a_missing_result_is_made_up_as_an_error_before_the_next_message() -> None:
    sent = native.request([assistant("", call("f")), user("never mind")]).body["messages"]

    assert sent[1] == {"role": "tool", "tool_call_id": "a", "content": INTERRUPTED}


def test_a_result_without_a_call_is_left_out_and_said() -> None:
    request = native.request([user("?"), result("42", "nobody")])

    assert request.body["messages"] == [user("?")]
    assert request.notes == [
        "The tool result nobody was left out: it answers no call, or one that is answered already."
    ]


def test_reasoning_goes_back_with_calls_to_the_providers_that_want_it() -> None:
    thoughtful: Any = {**assistant("", call("f")), "reasoning_content": "hm"}
    history = [thoughtful, result("42"), assistant("so"), assistant("", call("f"))]

    sent = Native(returns_reasoning="tool_rounds").request(history).body["messages"]

    assert [message.get("reasoning_content") for message in sent] == ["hm", None, None, "", None]


def test_tools_and_the_choice_among_them_are_sent_as_they_are() -> None:
    choice: Any = {"type": "function", "function": {"name": "weather"}}

    body = native.request([user("?")], [WEATHER], choice).body

    assert (body["tools"], body["tool_choice"]) == ([WEATHER], choice)


def test_without_tools_there_is_neither_a_list_nor_a_choice() -> None:
    request = native.request([user("?")], [], "required")

    assert list(request.body) == ["messages"]
    assert request.notes == ["The model cannot be made to call a tool: it is given none."]


@pytest.mark.parametrize(
    ("returns_reasoning", "returned"),
    [("never", [None, None]), ("tool_rounds", [None, "a"]), ("always", ["b", "a"])],
)
def test_reasoning_goes_back_only_where_the_provider_wants_it(
    returns_reasoning: Any, returned: list[str | None]
) -> None:
    history: list[Any] = [
        {**assistant("So"), "reasoning_content": "b"},
        {**assistant("", call("f")), "reasoning_content": "a"},
        result("!"),
        user("?"),
        assistant("No thought"),
    ]

    sent = Native(returns_reasoning).request(history).body["messages"]

    assert [sent[0].get("reasoning_content"), sent[1].get("reasoning_content")] == returned
    assert "reasoning_content" not in sent[4]


def test_images_stay_parts_and_text_files_become_text_that_names_them() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    pdf = file("a.pdf", b"%PDF", "application/pdf")
    message: Any = {"role": "user", "content": [image, file("a.txt", b"x"), pdf]}

    sent = Native().request([message]).body["messages"]

    named = {"type": "text", "text": '<file name="a.txt">\nx\n</file>'}
    assert sent == [{"role": "user", "content": [image, named, pdf]}]


# Whole answers


def test_a_whole_answer_is_read_as_it_is() -> None:
    wire = assistant(" text\n", call("f", '{"a":1}', "1"), call("g", "", "2"))

    answer = native.answer(wire)

    assert answer.message == wire
    assert answer.errors == []


def test_content_that_is_null_is_empty_text() -> None:
    assert native.answer(assistant(None, call("f"))).message == assistant("", call("f"))


def test_whitespace_around_content_is_kept() -> None:
    assert native.answer({"content": " \n "}).content == " \n "


def test_a_think_block_at_the_start_of_the_content_is_reasoning() -> None:
    answer = native.answer({"content": "\n<think>\nhm\n</think>\n\nSo.\n"})

    assert answer.message["reasoning_content"] == "hm"
    assert answer.content == "So.\n"


def test_a_lone_end_of_reasoning_counts_only_where_there_was_none_before() -> None:
    lone = native.answer({"content": "hm</think>So."})
    beside = native.answer({"reasoning": "hm", "content": "Write </think> there."})

    assert (lone.content, lone.message["reasoning_content"]) == ("So.", "hm")
    assert beside.content == "Write </think> there."


def test_tagged_calls_are_text_here() -> None:
    text = '<tool_call>{"name": "f"}</tool_call>'

    assert native.answer({"content": text}).content == text


def test_a_function_call_of_older_servers_is_reported() -> None:
    answer = native.answer({"content": None, "function_call": {"name": "f", "arguments": "{}"}})

    assert answer.errors == ["The answer has function_call, which this dialect does not read."]


@pytest.mark.parametrize("arguments", ['{"query": "SELECT', "[1]", "42", "{'a': 1}"])
def test_arguments_that_are_no_object_are_kept_and_reported(arguments: str) -> None:
    answer = native.answer(assistant("", call("f", arguments)))

    assert asked(answer) == [("f", arguments)]
    assert answer.errors == ["The arguments of tool call 1 (f) are not a JSON object."]


def test_arguments_that_are_not_text_become_json_text() -> None:
    entry = {"id": "x", "function": {"name": "f", "arguments": {"a": "北"}}}

    assert asked(native.answer({"tool_calls": [entry]})) == [("f", '{"a": "北"}')]


@pytest.mark.parametrize("entries", [42, "x", {"id": "x"}, [None, "x"], [{}]])
def test_malformed_calls_are_reported_and_left_out(entries: Any) -> None:
    answer = native.answer({"content": "text", "tool_calls": entries})

    assert answer.message == {"role": "assistant", "content": "text"}
    assert len(answer.errors) == 1


def test_a_missing_id_is_given() -> None:
    answer = native.answer({"tool_calls": [piece("{}", "f"), piece("{}", "f", id="")]})

    assert len(set(ids(answer)) - {""}) == 2
    assert answer.reissued == {}


def test_a_duplicate_id_is_issued_anew_and_the_original_kept() -> None:
    answer = native.answer(assistant("", call("f"), call("f"), call("g")))

    first, second, third = ids(answer)
    assert (first, len({first, second, third})) == ("a", 3)
    assert answer.reissued == {second: "a", third: "a"}


def test_origins_name_the_entries_of_the_calls() -> None:
    answer = native.answer(assistant("hi", call("f", "{}", "1"), call("g", "{}", "2")))

    assert answer.origins == [
        Origin("content", "content", 0, 2),
        Origin("tool_calls[0]", "tool_call", call_id="1"),
        Origin("tool_calls[1]", "tool_call", call_id="2"),
    ]


# Text


def test_text_appears_as_it_arrives() -> None:
    parser = native.stream()
    steps = [parser.feed({"content": text}) for text in ["Hel", "lo ", "world\n"]]

    assert steps == [[TextDelta("content", text)] for text in ["Hel", "lo ", "world\n"]]


def test_content_that_was_reasoning_is_taken_back() -> None:
    parser = native.stream()
    deltas = parser.feed({"content": "hm"}) + parser.feed({"content": "</think>So."})

    assert (apply(deltas, "content"), apply(deltas, "reasoning")) == ("So.", "hm")
