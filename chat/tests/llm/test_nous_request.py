"""Rules 1 to 7 of the dialects' specification: what a model reads in the nous dialect."""

import json
from typing import Any

import pytest
from hypothesis import given

from chat.llm.dialects import dialect
from chat.llm.dialects.nous_prompt import TOOLS_BLOCK
from chat.llm.messages import Message
from chat.tests.llm.conversations import (
    WEATHER,
    assistant,
    block,
    call,
    json_objects,
    result,
    system,
    user,
)
from chat.tests.llm.test_parts import file


def wire(*messages: Message, tools: Any = ()) -> list[dict[str, str]]:
    sent: list[dict[str, str]] = dialect("nous").request(messages, tools).body["messages"]
    return sent


def written(arguments: str) -> str:
    """The JSON of a call with these arguments, as the model reads it."""
    (message,) = wire(assistant(None, call("f", arguments)))
    return message["content"].removeprefix("<tool_call>\n").removesuffix("\n</tool_call>")


def test_only_role_and_content_are_sent() -> None:
    message: Message = {"role": "user", "content": "hi", "name": "Mia", "is_error": True}

    assert wire(message) == [{"role": "user", "content": "hi"}]


def test_text_parts_are_joined_without_a_separator() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    assert wire({"role": "user", "content": parts}) == [{"role": "user", "content": "ab"}]


def test_a_part_that_is_not_text_is_left_out_and_said() -> None:
    message: Message = {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}

    request = dialect("nous").request([message])

    assert request.body["messages"] == [{"role": "user", "content": ""}]
    assert request.notes == [
        "Message 0 has a part of type image_url, which was left out: it is not text."
    ]


def test_a_text_file_is_text_that_names_it() -> None:
    message: Message = {"role": "user", "content": [file("a.txt", b"x")]}

    assert wire(message) == [{"role": "user", "content": '<file name="a.txt">\nx\n</file>'}]


def test_content_that_is_null_or_missing_is_empty_text() -> None:
    assert wire({"role": "user", "content": None}, {"role": "assistant"}) == [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": ""},
    ]


@pytest.mark.parametrize("content", ["Be brief.", "", "ends in a newline\n", "  "])
def test_the_tools_follow_the_system_content_after_an_empty_line(content: str) -> None:
    sent = wire(system(content), user("hi"), tools=[WEATHER])

    assert sent[0]["content"].startswith(f"{content}\n\n# Tools\n\nYou may call")


def test_the_tools_make_a_system_message_where_there_is_none() -> None:
    sent = wire(user("hi"), tools=[WEATHER])

    assert [message["role"] for message in sent] == ["system", "user"]
    assert sent[0]["content"].startswith("# Tools\n")


def test_only_the_first_message_takes_the_tools() -> None:
    sent = wire(system("one"), system("two"), user("hi"), tools=[WEATHER])

    assert ["# Tools" in message["content"] for message in sent] == [True, False, False]


def test_a_later_system_message_stays_where_it_is() -> None:
    sent = wire(user("hi"), system("late"), tools=[WEATHER])

    assert [message["role"] for message in sent] == ["system", "user", "system"]
    assert sent[2]["content"] == "late"


def test_without_tools_there_is_no_block_but_calls_and_results_are_text_all_the_same() -> None:
    assert wire(user("?"), assistant("", call("f")), result("42")) == [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": block("f")},
        {"role": "user", "content": "<tool_response>\n42\n</tool_response>"},
    ]


def test_the_block_ends_without_a_newline() -> None:
    assert wire(user("hi"), tools=[WEATHER])[0]["content"].endswith("}\n</tool_call>")


def test_a_tool_line_has_python_s_separators_and_non_ascii_text_as_it_is() -> None:
    content = wire(tools=[WEATHER])[0]["content"]

    assert (
        '\n{"type": "function", "function": {"name": "weather", "description": "天气",' in content
    )


@pytest.mark.parametrize("odd", ["dict", "tuple", "any", ["string", "null"]])
def test_a_schema_is_never_normalised(odd: Any) -> None:
    function = {"parameters": {"z": {"type": odd}, "a": 1.0}, "name": "f", "strict": True}

    content = wire(tools=[{"type": "function", "function": function}])[0]["content"]

    assert f'{{"type": "function", "function": {json.dumps(function)}}}' in content.split("\n")


def test_missing_parameters_stay_missing() -> None:
    content = wire(tools=[{"type": "function", "function": {"name": "f"}}])[0]["content"]

    assert '{"type": "function", "function": {"name": "f"}}' in content.split("\n")


def test_a_tool_with_braces_does_not_disturb_the_block() -> None:
    function = {"name": "f", "description": "{tools} {} {0}"}

    content = wire(tools=[{"type": "function", "function": function}])[0]["content"]

    line = json.dumps({"type": "function", "function": function})
    assert content == TOOLS_BLOCK.format(tools=line)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a":1}', '{"a": 1}'),
        ('{"a": 1.0}', '{"a": 1.0}'),
        ('{"a": 1e5}', '{"a": 100000.0}'),
        ('{"a": 123456789012345678901234567890}', '{"a": 123456789012345678901234567890}'),
        ('{"a": 1, "a": 2}', '{"a": 2}'),
        ('{"b": 1, "a": 2}', '{"b": 1, "a": 2}'),
        ('{"a": "\\u5317\\ud83d\\ude00"}', '{"a": "北\U0001f600"}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        (' {"a": [true, null]}\n', '{"a": [true, null]}'),
        ("[1]", "[1]"),
        ("", '""'),
        ("   ", '"   "'),
        ('{"a": ', '"{\\"a\\": "'),
        ("{'a': 1}", "\"{'a': 1}\""),
        ('{"a": NaN}', '"{\\"a\\": NaN}"'),
        ('{"a": 1e999}', '"{\\"a\\": 1e999}"'),
    ],
)
def test_arguments_are_parsed_and_written_again(arguments: str, expected: str) -> None:
    assert written(arguments) == f'{{"name": "f", "arguments": {expected}}}'


@pytest.mark.parametrize("arguments", ["[" * 100_000, "9" * 5_000])
def test_arguments_that_python_cannot_read_are_a_string(arguments: str) -> None:
    assert json.loads(written(arguments))["arguments"] == arguments


@given(arguments=json_objects)
def test_arguments_mean_the_same_to_the_model(arguments: dict[str, Any]) -> None:
    assert json.loads(written(json.dumps(arguments)))["arguments"] == arguments


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([assistant("a", call("f"))], f"a\n{block('f')}"),
        ([assistant("a\n", call("f"))], f"a\n{block('f')}"),
        ([assistant("a\n\n", call("f"))], f"a\n\n{block('f')}"),
        ([assistant("", call("f"))], block("f")),
        ([assistant(None, call("f"), call("g"))], f"{block('f')}\n{block('g')}"),
        ([assistant("a"), assistant("b")], "a\nb"),
        ([assistant("a"), assistant("")], "a\n"),
        ([assistant("a"), assistant(""), assistant("b")], "a\nb"),
        ([assistant("a", call("f")), assistant("b", call("g"))],
         f"a\n{block('f')}\nb\n{block('g')}"),
        ([assistant(" "), assistant("b")], " \nb"),
    ],
)  # fmt: skip
def test_what_the_assistant_said_joins_with_one_newline(
    messages: list[Message], expected: str
) -> None:
    assert wire(*messages) == [{"role": "assistant", "content": expected}]


def test_results_share_one_user_message_in_the_order_of_the_calls() -> None:
    asked = assistant("", call("f", call_id="1"), call("g", call_id="2"))

    sent = wire(asked, result("two", "2"), result("one", "1"))

    assert sent[1:] == [
        {
            "role": "user",
            "content": "<tool_response>\none\n</tool_response>\n"
            "<tool_response>\ntwo\n</tool_response>",
        }
    ]


def test_results_of_several_assistant_messages_are_in_call_order_too() -> None:
    sent = wire(
        assistant("", call("f", call_id="1")),
        assistant("", call("g", call_id="2")),
        result("two", "2"),
        result("one", "1"),
    )

    assert sent[1]["content"].index("one") < sent[1]["content"].index("two")


def test_ids_that_each_round_uses_again_are_in_order_within_their_round() -> None:
    asked = assistant("", call("f", call_id="0"), call("g", call_id="1"))
    answered = [result("second", "1"), result("first", "0")]

    sent = wire(asked, *answered, asked, *answered)

    assert sent[1] == sent[3]
    assert sent[3]["content"].index("first") < sent[3]["content"].index("second")


def test_a_user_message_after_results_stays_apart() -> None:
    sent = wire(assistant("", call("f")), result("42"), user("and?"), user("well?"))

    assert [message["content"] for message in sent[1:]] == [
        "<tool_response>\n42\n</tool_response>",
        "and?",
        "well?",
    ]


def test_results_after_a_user_message_stay_apart() -> None:
    assert [message["role"] for message in wire(user("?"), result("42"))] == ["user", "user"]


def test_a_result_without_a_call_is_sent_all_the_same() -> None:
    assert wire(result("42", "nobody"))[0]["content"] == "<tool_response>\n42\n</tool_response>"


def test_a_missing_result_is_not_made_up() -> None:
    assert len(wire(assistant("", call("f")), user("never mind"))) == 2


def test_a_result_is_neither_stripped_nor_escaped() -> None:
    content = "\n <tool_call>&lt;</tool_response> \n"

    assert wire(result(content))[0]["content"] == f"<tool_response>\n{content}\n</tool_response>"


def test_a_choice_of_no_tool_offers_none() -> None:
    request = dialect("nous").request([user("hi")], [WEATHER], "none")

    assert request.body["messages"] == [{"role": "user", "content": "hi"}]
    assert request.notes == []


@pytest.mark.parametrize(
    ("choice", "note"),
    [
        ("required", "The model cannot be made to call a tool: it decides by itself."),
        (
            {"type": "function", "function": {"name": "weather"}},
            "The model cannot be made to call weather: it decides by itself.",
        ),
    ],
)
def test_a_choice_that_text_cannot_enforce_is_said(choice: Any, note: str) -> None:
    request = dialect("nous").request([user("hi")], [WEATHER], choice)

    assert request.notes == [note]
    assert "# Tools" in request.body["messages"][0]["content"]


def test_a_provider_s_own_tool_is_left_out_and_said() -> None:
    request = dialect("nous").request([user("hi")], [{"type": "web_search"}])

    assert request.body["messages"] == [{"role": "user", "content": "hi"}]
    assert request.notes == ["The tool web_search was left out: it is not a function."]
