"""The dialect anthropic, requests: rule 14."""

from typing import Any

import pytest

from chat.llm.dialects.anthropic import Anthropic
from chat.llm.history import INTERRUPTED
from chat.llm.messages import Message
from chat.tests.llm.conversations import WEATHER, assistant, call, result, system, user
from chat.tests.llm.test_parts import file

SIGNED = {"type": "thinking", "thinking": "hm", "signature": "s1"}
REDACTED = {"type": "redacted_thinking", "data": "x"}


def sent(*history: Message) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = Anthropic().request(history).body["messages"]
    return messages


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def answer_to(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def notes(*history: Message) -> list[str]:
    return Anthropic().request(history).notes


def test_system_texts_stand_apart_each_as_its_own_block() -> None:
    body = Anthropic().request([system("a"), user("?"), system("b"), system("")]).body

    assert body == {
        "system": [text("a"), text("b")],
        "messages": [{"role": "user", "content": [text("?")]}],
    }


def test_neighbours_of_one_role_become_one_message() -> None:
    assert sent(user("a"), user("b"), assistant("c"), assistant("d"), user("e")) == [
        {"role": "user", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [text("c"), text("d")]},
        {"role": "user", "content": [text("e")]},
    ]


def test_results_come_first_in_one_message_in_the_order_of_their_calls() -> None:
    calls = call("f", '{"a": 1.0}', "x"), call("g", "", "y")

    assert sent(assistant("Both", *calls), result("2", "y"), result("1", "x"), user("and?")) == [
        {"role": "assistant", "content": [text("Both"), use("f", "x", a=1.0), use("g", "y")]},
        {"role": "user", "content": [answer_to("x", "1"), answer_to("y", "2"), text("and?")]},
    ]


def test_a_result_that_comes_behind_a_message_goes_before_it() -> None:
    wire = sent(assistant("", call("f")), user("well?"), result("1"))

    assert wire[1]["content"] == [answer_to("a", "1"), text("well?")]


def test_an_error_is_marked_and_a_success_is_not() -> None:
    failed: Any = {**result("no", "x"), "is_error": True}
    succeeded: Any = {**result("yes", "y"), "is_error": False}

    wire = sent(assistant("", call("f", call_id="x"), call("f", call_id="y")), failed, succeeded)

    assert wire[1]["content"] == [answer_to("x", "no", is_error=True), answer_to("y", "yes")]


def test_a_call_without_an_answer_gets_an_error() -> None:
    assert sent(assistant("", call("f")))[1] == {
        "role": "user",
        "content": [answer_to("a", INTERRUPTED, is_error=True)],
    }


def test_no_text_is_empty_and_no_message() -> None:
    history = [user("a"), assistant(""), user(" \n"), user("b")]

    assert sent(*history) == [{"role": "user", "content": [text("a"), text("b")]}]
    assert notes(*history) == [
        "Message 1 was left out: it is empty.",
        "Message 2 was left out: it is empty.",
    ]


def test_the_first_message_may_be_the_assistants() -> None:
    assert sent(assistant("Hi")) == [{"role": "assistant", "content": [text("Hi")]}]


def test_system_alone_leaves_no_messages() -> None:
    assert Anthropic().request([system("s")]).body == {"system": [text("s")], "messages": []}


def test_a_last_answer_does_not_end_in_whitespace() -> None:
    assert sent(user("a "), assistant(" b \n"))[-1]["content"] == [text(" b")]
    assert sent(assistant("b "), user("a "))[0]["content"] == [text("b ")]


def test_parts_are_blocks_of_their_own() -> None:
    message: Any = {"role": "user", "content": [text("a"), text(""), text("b")]}

    assert sent(message)[0]["content"] == [text("a"), text("b")]


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("", {}),
        (" ", {}),
        ('{"a":1}', {"a": 1}),
        ("[1]", {"arguments": [1]}),
        ("{", {"arguments": "{"}),
    ],
)
def test_the_input_of_a_call_is_an_object(arguments: str, given: dict[str, Any]) -> None:
    history = [assistant("", call("f", arguments)), result("!")]

    assert sent(*history)[0]["content"][0]["input"] == given
    assert len(notes(*history)) == ("arguments" in given)


def test_signed_thinking_goes_back_first_and_unchanged() -> None:
    said: Any = {**assistant("So", call("f")), "thinking_blocks": [SIGNED, REDACTED]}

    assert sent(said, result("!"))[0]["content"] == [SIGNED, REDACTED, text("So"), use("f", "a")]


def test_reasoning_of_other_dialects_does_not_go_back() -> None:
    said: Any = {**assistant("So"), "reasoning_content": "hm"}

    assert sent(said, user("?"))[0]["content"] == [text("So")]


@pytest.mark.parametrize("kept", [[SIGNED], None, "x", ["x"]])
def test_thinking_alone_is_no_message(kept: Any) -> None:
    said: Any = {**assistant(""), "thinking_blocks": kept}

    assert sent(user("a"), said) == [{"role": "user", "content": [text("a")]}]


def test_ids_that_do_not_fit_are_mapped_alike_in_call_and_result() -> None:
    wire = sent(assistant("", call("f", call_id="functions.f:0")), result("!", "functions.f:0"))

    mapped = wire[0]["content"][0]["id"]
    assert mapped == wire[1]["content"][0]["tool_use_id"]
    assert mapped.startswith("toolu_") and len(mapped) == 30


def test_ids_that_fit_stay() -> None:
    long = "call_A-1_" * 30

    assert sent(assistant("", call("f", call_id=long)), result("!", long))[0]["content"] == [
        use("f", long)
    ]


def test_ids_that_come_again_in_a_later_round_are_made_unique() -> None:
    wire = sent(*[assistant("", call("f")), result("!")] * 3)

    assert [block["id"] for message in wire[::2] for block in message["content"]] == [
        "a",
        "a_2",
        "a_3",
    ]
    assert [message["content"][0]["tool_use_id"] for message in wire[1::2]] == ["a", "a_2", "a_3"]


def test_tools_have_a_name_a_description_and_a_schema() -> None:
    bare = {"type": "function", "function": {"name": "now", "strict": True, "description": None}}
    untyped = {"type": "function", "function": {"name": "f", "parameters": {"required": []}}}

    assert Anthropic().request([], [WEATHER, bare, untyped]).body["tools"] == [
        {
            "name": "weather",
            "description": "天气",
            "input_schema": WEATHER["function"]["parameters"],
        },
        {"name": "now", "input_schema": {"type": "object", "properties": {}}},
        {"name": "f", "input_schema": {"type": "object", "required": []}},
    ]


@pytest.mark.parametrize("schema", [None, {}, "text", [1]])
def test_what_is_no_schema_is_one_without_properties(schema: Any) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}

    assert Anthropic().request([], [tool]).body["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {},
    }


@pytest.mark.parametrize(
    ("tool_choice", "wire"),
    [
        ("auto", {"type": "auto"}),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        (
            {"type": "function", "function": {"name": "a.b"}},
            {"type": "tool", "name": "a_u2e_b"},
        ),
    ],
)
def test_a_tool_choice_is_typed(tool_choice: Any, wire: dict[str, Any]) -> None:
    assert Anthropic().request([], [WEATHER], tool_choice).body["tool_choice"] == wire


def test_a_tool_choice_without_tools_is_said_and_not_sent() -> None:
    request = Anthropic().request([], [], "required")

    assert request.body == {"messages": []}
    assert request.notes == ["The model cannot be made to call a tool: it is given none."]


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://a.example/b.png", {"type": "url", "url": "https://a.example/b.png"}),
        (
            "data:image/jpg;base64,AAAA",
            {"type": "base64", "media_type": "image/jpeg", "data": "AAAA"},
        ),
    ],
)
def test_images_are_blocks(url: str, source: dict[str, Any]) -> None:
    image: Any = {"type": "image_url", "image_url": {"url": url}}

    wire = sent({"role": "user", "content": [text("what?"), image]})

    assert wire[0]["content"] == [text("what?"), {"type": "image", "source": source}]


def test_a_text_file_is_a_document_with_a_title() -> None:
    assert sent({"role": "user", "content": [file("a.csv", "北".encode(), "text/csv")]}) == [
        {
            "role": "user",
            "content": [
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "北"},
                    "title": "a.csv",
                }
            ],
        }
    ]


def test_a_pdf_is_a_document_and_an_image_file_an_image() -> None:
    files = [file("a.pdf", b"", "application/pdf"), file("a.png", b"", "image/png")]

    blocks = sent({"role": "user", "content": files})[0]["content"]

    assert [(block["type"], block["source"]["media_type"]) for block in blocks] == [
        ("document", "application/pdf"),
        ("image", "image/png"),
    ]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:image/svg+xml;base64,AAAA"}},
        {"type": "image_url", "image_url": {"url": "ftp://a.example/b.png"}},
        {"type": "input_audio", "input_audio": {}},
        file("a.bin", b"\xff", "application/octet-stream"),
    ],
    ids=lambda part: part["type"],
)
def test_what_the_api_does_not_take_is_said(part: dict[str, Any]) -> None:
    message: Any = {"role": "user", "content": [text("a"), part]}

    assert sent(message) == [{"role": "user", "content": [text("a")]}]
    assert notes(message) == [
        f"Message 0 has a part of type {part['type']}, which the API does not take."
    ]


def test_images_of_a_result_stay_in_it() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    seen: Any = {**result(""), "content": [text("Look"), image]}

    wire = sent(assistant("", call("f")), seen)

    assert wire[1]["content"][0]["content"] == [
        text("Look"),
        {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
    ]


def test_a_name_that_is_too_long_is_cut_and_that_is_said() -> None:
    tool = {"type": "function", "function": {"name": "n" * 200}}

    request = Anthropic().request([], [tool])

    assert len(request.body["tools"][0]["name"]) == 128
    assert request.notes[0].endswith("was cut: it has more than 128 characters.")
