"""Histories of Qwen-Agent, written and read."""

from typing import Any

import pytest

from chat.llm.dialects.qwen_agent import QwenAgent, is_answer, read_history
from chat.llm.errors import MalformedConversation
from chat.llm.messages import NO_NAME, Message
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
from chat.tests.llm.test_parts import file


def exported(*history: Message) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = QwenAgent().request(history).body["messages"]
    return messages


def calling(name: str, arguments: str = "{}", /, **more: Any) -> dict[str, Any]:
    function_call = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "function_call": function_call, **more}


def answered(name: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "function", "name": name, "content": content, **more}


def test_parallel_calls_become_messages_of_their_own_behind_the_text() -> None:
    calls = call("f", '{"a": 1.0}', "x"), call("g", "", "y")

    assert exported(
        system("s"), user("?"), assistant("Both", *calls), result("1", "x"), result("2", "y")
    ) == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": "Both"},
        calling("f", '{"a": 1.0}'),
        calling("g", ""),
        answered("f", "1"),
        answered("g", "2"),
    ]


def test_a_call_without_text_has_no_message_for_it() -> None:
    assert exported(assistant(None, call("f"))) == [calling("f")]


def test_results_stand_in_the_order_of_their_calls() -> None:
    calls = call("f", call_id="x"), call("g", call_id="y")

    assert exported(assistant("", *calls), result("2", "y"), result("1", "x"))[2:] == [
        answered("f", "1"),
        answered("g", "2"),
    ]


def test_results_of_calls_with_one_id_have_their_names() -> None:
    wire = exported(assistant("", call("f"), call("g")), result("1"), result("2"))

    assert wire[2:] == [answered("f", "1"), answered("g", "2")]


def test_an_answer_without_words_stays() -> None:
    assert exported(assistant("")) == [{"role": "assistant", "content": ""}]


def test_reasoning_stands_on_the_first_message_of_an_answer() -> None:
    thoughtful: Any = {**assistant("So", call("f")), "reasoning_content": "hm"}

    assert exported(thoughtful)[0] == {
        "role": "assistant",
        "content": "So",
        "reasoning_content": "hm",
    }


def test_content_in_parts_becomes_items() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    pdf = file("a.pdf", b"", "application/pdf")
    message: Any = {"role": "user", "content": [{"type": "text", "text": "a"}, image, pdf]}

    request = QwenAgent().request([message])

    items = [{"text": "a"}, {"image": "https://a.example/b.png"}]
    assert request.body["messages"] == [{"role": "user", "content": items}]
    assert request.notes == ["Message 0 has a part of type file, which Qwen-Agent has no item for."]


def test_tools_are_written_beside_the_messages() -> None:
    assert QwenAgent().request([], [WEATHER]).body == {"messages": [], "tools": [WEATHER]}


def test_the_messages_of_an_answer_become_one() -> None:
    answer = QwenAgent().answer(
        [
            {"role": "assistant", "content": "", "reasoning_content": "hm"},
            {"role": "assistant", "content": [{"text": "Bo"}, {"text": "th"}], "name": "agent"},
            calling("f", '{"a": 1}', content=[], extra={"function_id": "1"}),
            calling("g", extra={"function_id": "2"}),
        ]
    )

    assert answer.message == {
        "role": "assistant",
        "content": "Both",
        "reasoning_content": "hm",
        "tool_calls": [call("f", '{"a": 1}', "1"), call("g", "{}", "2")],
    }
    assert answer.errors == []


def test_calls_without_ids_get_some() -> None:
    answer = QwenAgent().answer([calling("f"), calling("f")])

    assert len({*ids(answer), ""}) == 3


def test_texts_of_two_messages_stand_on_lines_of_their_own() -> None:
    said = [{"role": "assistant", "content": text} for text in ("a", "", "b\n", "c")]

    assert QwenAgent().answer(said).content == "a\nb\nc"


def test_thinking_within_the_content_is_reasoning() -> None:
    answer = QwenAgent().answer([{"content": [{"text": "<think>hm</think>"}, {"text": "So"}]}])

    assert (answer.message["reasoning_content"], answer.content) == ("hm", "So")


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (calling("f", "{"), "The arguments of tool call 1 (f) are not a JSON object."),
        ({"function_call": {"arguments": "{}"}}, NO_NAME),
        ({"function_call": "f"}, "An empty tool call was left out."),
        ({"content": [{"image": "u"}]}, "The content has parts that are not text."),
        ({"content": [[], 7]}, "The content has parts that are not text."),
        ({"content": 42}, "The content has parts that are not text."),
    ],
)
def test_what_is_malformed_is_an_error(message: dict[str, Any], error: str) -> None:
    assert QwenAgent().answer([message]).errors == [error]


def test_a_history_is_told_from_an_answer_by_its_roles() -> None:
    assert is_answer([calling("f"), {"content": "a"}])
    assert not is_answer([calling("f"), answered("f", "!")])


def test_a_history_becomes_canonical_rounds() -> None:
    messages, errors = read_history(
        [
            {"role": "user", "content": [{"text": "?"}]},
            calling("f", name="agent", reasoning_content=""),
            answered("f", "1"),
            {"role": "assistant", "content": "Two"},
            calling("f"),
            calling("g"),
            answered("f", "2"),
            answered("g", "3"),
            {"role": "assistant", "content": "Done"},
        ]
    )

    made = [one["id"] for message in messages for one in message.get("tool_calls", [])]
    assert errors == []
    assert len(set(made)) == 3
    assert messages == [
        user("?"),
        assistant("", call("f", call_id=made[0])),
        result("1", made[0]),
        assistant("Two", call("f", call_id=made[1]), call("g", call_id=made[2])),
        result("2", made[1]),
        result("3", made[2]),
        assistant("Done"),
    ]


@pytest.mark.parametrize("by_id", [True, False], ids=["by id", "by name"])
def test_results_find_their_calls(by_id: bool) -> None:
    def extra(number: int) -> dict[str, Any]:
        return {"extra": {"function_id": str(number)}} if by_id else {}

    messages, _ = read_history(
        [
            calling("f", **extra(1)),
            calling("g", **extra(2)),
            answered("g", "second", **extra(2)),
            answered("f", "first", **extra(1)),
        ]
    )

    first, second = messages[0]["tool_calls"]
    assert messages[1:] == [result("second", second["id"]), result("first", first["id"])]


def test_a_result_too_many_belongs_to_no_call() -> None:
    messages, _ = read_history([calling("f"), answered("f", "1"), answered("f", "2")])

    assert messages[2] == result("2", "")


def test_images_of_a_user_stay() -> None:
    items = [{"image": "https://a.example/b.png"}, {"file": "/tmp/a.txt"}, {"text": "?"}]

    messages, _ = read_history([{"role": "user", "content": items}])

    assert messages[0]["content"] == [
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
        {"type": "file", "file": {"filename": "/tmp/a.txt"}},
        {"type": "text", "text": "?"},
    ]


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(MalformedConversation, match="'tool'"):
        read_history([{"role": "tool", "content": ""}])


def test_what_was_exported_is_read_as_it_was() -> None:
    history = [
        system("s"),
        user("?"),
        assistant("Both", call("f", '{"a": 1}', "x"), call("g", "{}", "y")),
        result("1", "x"),
        result("2", "y"),
        assistant("Done"),
    ]

    read, errors = read_history(exported(*history))

    assert errors == []
    assert [asked_of(message) for message in read] == [asked_of(message) for message in history]


def asked_of(message: Message) -> Any:
    """A message without ids."""
    calls = [one["function"] for one in message.get("tool_calls", [])]
    return message["role"], message["content"], calls


def test_the_article_s_history_is_read() -> None:
    answer = QwenAgent().answer(
        [calling("sqlite-list_tables", name="数据库助手", reasoning_content="")]
    )

    assert asked(answer) == [("sqlite-list_tables", "{}")]
    assert "reasoning_content" not in answer.message


def test_parameters_are_taken_for_the_arguments_and_noted() -> None:
    answer = QwenAgent().answer([{"function_call": {"name": "f", "parameters": {"a": 1}}}])
    assert answer.tool_calls[0]["function"] == {"name": "f", "arguments": '{"a": 1}'}
    assert (len(answer.notes), answer.errors) == (1, [])
