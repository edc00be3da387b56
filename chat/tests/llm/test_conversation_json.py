from typing import Any

import pytest
from hypothesis import given

from chat.llm.conversation_json import Conversation, read_conversation
from chat.llm.errors import MalformedConversation
from chat.llm.messages import Message
from chat.tests.llm.conversations import WEATHER, assistant, call, json_values, result, user


def message(value: Any) -> Message:
    return read_conversation({"messages": [value]}).messages[0]


def test_a_canonical_conversation_is_read_as_it_is() -> None:
    history = [user("?"), assistant(None, call("f", '{"a":1}')), result("42")]

    read = read_conversation({"messages": history, "tools": [WEATHER], "tool_choice": "auto"})

    assert read == Conversation(history, [WEATHER], "auto")


@pytest.mark.parametrize("tools", [{}, {"tools": None}, {"tools": []}])
def test_tools_may_be_missing(tools: dict[str, Any]) -> None:
    assert read_conversation({"messages": [], **tools}) == Conversation([], [], None)


def test_a_tool_without_a_type_is_a_function() -> None:
    read = read_conversation({"messages": [], "tools": [{"function": {"name": "f"}}]})

    assert list(read.tools[0]) == ["type", "function"]


def test_a_choice_without_its_wrapper_is_wrapped() -> None:
    read = read_conversation({"messages": [], "tool_choice": {"name": "f"}})

    assert read.tool_choice == {"type": "function", "function": {"name": "f"}}


def test_a_tool_without_its_wrapper_is_wrapped() -> None:
    bare = {"name": "f", "parameters": {"type": "dict"}, "type": "function"}

    read = read_conversation({"messages": [], "tools": [{"name": "g"}, bare]})

    assert read.tools == [
        {"type": "function", "function": {"name": "g"}},
        {"type": "function", "function": {"name": "f", "parameters": {"type": "dict"}}},
    ]


def test_a_provider_s_own_tool_stays() -> None:
    own = {"type": "web_search", "max_uses": 3}

    assert read_conversation({"messages": [], "tools": [own]}).tools == [own]


def test_keys_keep_their_order() -> None:
    value = {"content": "x", "role": "assistant", "tool_calls": [call("f")], "extra": 1}

    assert list(message(value)) == list(value)


def test_the_developer_role_is_the_system_s() -> None:
    assert message({"role": "developer", "content": "x"})["role"] == "system"


def test_a_part_without_a_type_is_text() -> None:
    parts = ["a", {"text": "b"}, {"type": "image_url", "image_url": {}}]

    assert message({"role": "user", "content": parts})["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
        {"type": "image_url", "image_url": {}},
    ]


def test_arguments_that_are_not_text_become_json_text() -> None:
    entry = {"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}

    assert message({"role": "assistant", "tool_calls": [entry]})["tool_calls"] == [
        call("f", '{"x": 1}')
    ]


@pytest.mark.parametrize("calls", [None, []])
def test_no_calls_are_not_a_key(calls: Any) -> None:
    assert message({"role": "assistant", "content": "x", "tool_calls": calls}) == assistant("x")


def test_missing_ids_are_empty() -> None:
    assert message({"role": "tool", "content": "x"}) == result("x", "")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "A conversation is an object with a list of messages."),
        ({}, "A conversation is an object with a list of messages."),
        ({"messages": {}}, "A conversation is an object with a list of messages."),
        ({"messages": [], "tools": {}}, "tools is not a list."),
        ({"messages": [1]}, "messages[0] is not an object."),
        ({"messages": [{}]}, "messages[0].role is none of system, user, assistant, tool."),
        (
            {"messages": [{"role": ["user"]}]},
            "messages[0].role is none of system, user, assistant, tool.",
        ),
        (
            {"messages": [{"role": "user", "content": 5}]},
            "messages[0].content is neither text nor a list of parts.",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]},
            "messages[0].content[0].text is not text.",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": {}}]},
            "messages[0].tool_calls is not a list.",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"id": "a"}]}]},
            "messages[0].tool_calls[0].function is not an object.",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": 1}}]}]},
            "messages[0].tool_calls[0].function.name is not text.",
        ),
        (
            {"messages": [{"role": "tool", "tool_call_id": 7}]},
            "messages[0].tool_call_id is not text.",
        ),
        ({"messages": [], "tools": ["x"]}, "tools[0] is not an object."),
        ({"messages": [], "tools": [{}]}, "tools[0] has no name."),
        ({"messages": [], "tools": [{"function": {}}]}, "tools[0].function.name is not text."),
        ({"messages": [], "tool_choice": 5}, "tool_choice is not an object."),
        (
            {"messages": [], "tool_choice": "any"},
            "tool_choice is none of auto, none, required.",
        ),
    ],
)
def test_what_is_malformed_is_said_with_its_place(value: Any, sentence: str) -> None:
    with pytest.raises(MalformedConversation) as raised:
        read_conversation(value)

    assert str(raised.value) == sentence


@given(value=json_values, message=json_values, tool=json_values)
def test_any_json_is_read_or_refused(value: Any, message: Any, tool: Any) -> None:
    for candidate in (value, {"messages": [message], "tools": [tool], "tool_choice": value}):
        try:
            assert isinstance(read_conversation(candidate), Conversation)
        except MalformedConversation as error:
            assert str(error)
