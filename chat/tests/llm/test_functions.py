"""The dialect functions: rule 15, and answers with `function_call`."""

from typing import Any

import pytest

from chat.llm.dialects.functions import Functions
from chat.llm.messages import NO_NAME, UNNAMED, Message
from chat.tests.llm.conversations import (
    WEATHER,
    asked,
    assistant,
    call,
    ids,
    result,
    system,
    user,
)
from chat.tests.llm.test_contract import streamed


def sent(*history: Message) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = Functions().request(history).body["messages"]
    return messages


def asking(name: str, arguments: str, content: str | None = None) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": content,
        "function_call": {"name": name, "arguments": arguments},
    }


def test_parallel_calls_become_pairs_and_the_text_goes_on_the_first() -> None:
    calls = call("f", '{"a": 1.0}', "x"), call("g", " {}", "y")

    assert sent(user("?"), assistant("Both", *calls), result("1", "x"), result("2", "y")) == [
        user("?"),
        asking("f", '{"a": 1.0}', "Both"),
        {"role": "function", "name": "f", "content": "1"},
        asking("g", " {}"),
        {"role": "function", "name": "g", "content": "2"},
    ]


def test_results_follow_their_calls_in_whatever_order_they_came() -> None:
    calls = call("f", call_id="x"), call("g", call_id="y")

    wire = sent(assistant(None, *calls), result("2", "y"), result("1", "x"))

    assert [message["content"] for message in wire] == [None, "1", None, "2"]


def test_a_call_without_an_answer_gets_one() -> None:
    wire = sent(assistant("", call("f")), user("?"))

    assert [message["role"] for message in wire] == ["assistant", "function", "user"]
    assert "interrupted" in wire[1]["content"]


def test_keys_of_ours_and_ids_are_not_sent() -> None:
    history: list[Any] = [
        {**assistant("a"), "reasoning_content": "hm", "refusal": "no", "thinking_blocks": []},
        {**assistant("", call("f")), "reasoning_content": "hm"},
        {**result("!"), "is_error": True, "name": "other"},
    ]

    assert sent(*history) == [
        assistant("a"),
        asking("f", "{}", ""),
        {"role": "function", "name": "f", "content": "!"},
    ]


def test_content_in_parts_becomes_text() -> None:
    parts: Any = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    assert sent(system("s"), {"role": "user", "content": parts, "name": "ann"}) == [
        system("s"),
        {"role": "user", "content": "ab", "name": "ann"},
    ]


def test_tools_are_functions_without_their_wrapper() -> None:
    body = Functions().request([user("?")], [WEATHER]).body

    assert body == {"messages": [user("?")], "functions": [WEATHER["function"]]}


@pytest.mark.parametrize(
    ("tool_choice", "function_call"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ({"type": "function", "function": {"name": "weather"}}, {"name": "weather"}),
    ],
)
def test_a_tool_choice_is_a_function_call(tool_choice: Any, function_call: Any) -> None:
    body = Functions().request([], [WEATHER], tool_choice).body

    assert body["function_call"] == function_call


def test_what_cannot_be_expressed_is_said() -> None:
    image: Any = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}
    search = {"type": "web_search"}

    request = Functions().request([image, result("!", "z")], [WEATHER, search], "required")

    assert "function_call" not in request.body
    assert request.notes == [
        "The tool result z was left out: it answers no call, or one that is answered already.",
        "Message 0 has a part of type image_url, which was left out: it is not text.",
        "The tool web_search was left out: it is not a function.",
        "The model cannot be made to call any function: it decides by itself.",
    ]


def test_a_function_call_gets_an_id() -> None:
    answer = Functions().answer(asking("f", '{"a":1}', "Well"))

    assert answer.content == "Well"
    assert asked(answer) == [("f", '{"a":1}')]
    assert ids(answer)[0].startswith("call_")


@pytest.mark.parametrize("repeated", ["", "weather"])
def test_arguments_in_pieces_are_joined(repeated: str) -> None:
    pieces = [
        {"name": "weather", "arguments": ""},
        {"name": repeated, "arguments": '{"ci'},
        {"name": repeated, "arguments": 'ty": "北"}'},
        {"name": repeated, "arguments": ""},
    ]

    _, answer = streamed(Functions(), [{"function_call": piece} for piece in pieces])

    assert asked(answer) == [("weather", '{"city": "北"}')]


def test_a_name_in_pieces_is_joined() -> None:
    pieces = [{"name": "wea"}, {"name": "ther"}, {"arguments": "{}"}]

    _, answer = streamed(Functions(), [{"function_call": piece} for piece in pieces])

    assert asked(answer) == [("weather", "{}")]


def test_arguments_that_are_cut_are_an_error() -> None:
    answer = Functions().answer(asking("f", '{"a":'))

    assert answer.errors == ["The arguments of tool call 1 (f) are not a JSON object."]


def test_a_call_without_a_name_stays_a_call_and_is_an_error() -> None:
    answer = Functions().answer({"function_call": {"arguments": "{}"}})

    assert asked(answer) == [(UNNAMED, "{}")]
    assert answer.errors == [NO_NAME]


@pytest.mark.parametrize("function_call", [42, "f", ["f"], True])
def test_a_function_call_that_is_no_object_is_an_error(function_call: Any) -> None:
    assert Functions().answer({"function_call": function_call}).errors


def test_tool_calls_are_reported() -> None:
    answer = Functions().answer({"content": "", "tool_calls": [call("f")]})

    assert answer.errors == ["The answer has tool_calls, which this dialect does not read."]


def test_parameters_are_taken_for_the_arguments_and_noted() -> None:
    answer = Functions().answer({"function_call": {"name": "f", "parameters": {"a": 1}}})

    assert (asked(answer), len(answer.notes), answer.errors) == ([("f", '{"a": 1}')], 1, [])
