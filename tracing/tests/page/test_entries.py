import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits.trace_pages import MAX_MESSAGE_VIEW
from tracing.page.stages.messages import read_message_view, tool_name

keys = [
    *("role", "content", "tool_calls", "tool_call_id", "name", "function", "arguments", "text"),
    *("type", "source", "image_url", "url", "data", "input", "function_call"),
]
kinds = ["thinking", "tool_use", "tool_result", "image", "image_url", "file", "redacted_thinking"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(kinds),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(keys), inner, max_size=5)
    ),
    max_leaves=15,
)


def test_a_message_has_role_and_text() -> None:
    entry = read_message_view('{"role":"user","content":"几张表"}'.encode(), 3, "added")
    assert (entry.role, entry.content.text, entry.position, entry.change) == (
        "user",
        "几张表",
        3,
        "added",
    )


def test_the_texts_of_content_parts_are_joined() -> None:
    entry = read_message_view(b'{"role":"user","content":[{"text":"a"},{"type":"new"}]}', 1, "")
    assert entry.content.text == 'a\n{"type":"new"}'


def test_an_image_is_said_and_not_carried() -> None:
    url = f"data:image/png;base64,{'iVBORw0K' * 100}"
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": url}}]
    entry = read_message_view(json.dumps({"role": "user", "content": parts}).encode(), 1, "")
    assert (entry.content.text, entry.attached) == ("Look:", ["▣ image/png · 600 B"])


def test_the_blocks_of_anthropic_messages_are_told_apart() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"a": 1}},
    ]
    entry = read_message_view(json.dumps({"role": "assistant", "content": blocks}).encode(), 1, "")
    assert (entry.reasoning.text, entry.content.text) == ("Let me see.", "I look.")
    assert [(call.name, call.id, call.arguments.text) for call in entry.calls] == [
        ("look", "toolu_1", '{"a":1}')
    ]


def test_results_that_are_blocks_say_which_call_they_answer() -> None:
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 100}
    blocks = [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no", "is_error": True},
        {
            "type": "tool_result",
            "tool_use_id": "toolu_2",
            "content": [{"type": "text", "text": "yes"}, {"type": "image", "source": image}],
        },
    ]
    entry = read_message_view(json.dumps({"role": "user", "content": blocks}).encode(), 1, "")
    assert [(result.answers, result.content.text, result.is_error) for result in entry.results] == [
        ("toolu_1", "no", True),
        ("toolu_2", "yes\n▣ image/png · 600 B", False),
    ]


def test_the_older_function_call_is_a_call() -> None:
    call = {"name": "look", "arguments": "{}"}
    entry = read_message_view(
        json.dumps({"role": "assistant", "function_call": call}).encode(), 1, ""
    )
    assert [(call.name, call.arguments.text) for call in entry.calls] == [("look", "{}")]


def test_an_element_without_a_role_takes_the_one_of_its_list() -> None:
    entry = read_message_view(b'{"type":"text","text":"Be brief."}', 0, "", role="system")
    assert (entry.role, entry.content.text) == ("system", "Be brief.")


def test_calls_keep_their_arguments_as_they_were_written() -> None:
    call = {"id": "call_1", "function": {"name": "read_query", "arguments": '{"a": 1.0}'}}
    entry = read_message_view(
        json.dumps({"role": "assistant", "tool_calls": [call]}).encode(), 1, ""
    )
    assert [(call.name, call.id, call.arguments.text) for call in entry.calls] == [
        ("read_query", "call_1", '{"a": 1.0}')
    ]


def test_a_result_says_which_call_it_answers_and_that_it_failed() -> None:
    entry = read_message_view(
        b'{"role":"tool","tool_call_id":"call_1","content":"no","is_error":true}', 1, ""
    )
    assert (entry.answers, entry.is_error, entry.rest) == ("call_1", True, "")


def test_what_is_unknown_is_shown_as_json() -> None:
    entry = read_message_view(b'{"role":"user","content":"x","cache_control":{"type":"e"}}', 1, "")
    assert entry.rest == '{"cache_control":{"type":"e"}}'


def test_a_long_message_is_cut_and_says_by_how_much() -> None:
    entry = read_message_view(json.dumps({"content": "x" * (MAX_MESSAGE_VIEW + 7)}).encode(), 1, "")
    assert (len(entry.content.text), entry.content.hidden) == (MAX_MESSAGE_VIEW, 7)


@pytest.mark.parametrize("element", [b"3", b"[]", b"\xff", b'{"a"', b"[" * 9000, b""])
def test_what_is_no_message_is_shown_as_it_is(element: bytes) -> None:
    assert read_message_view(element, 1, "").role == ""


@given(json_values)
def test_no_message_is_too_strange(value: object) -> None:
    element = json.dumps(value).encode()
    read_message_view(element, 1, "")
    tool_name(element)


def test_a_tool_has_its_name_with_and_without_the_wrapper() -> None:
    assert tool_name(b'{"type":"function","function":{"name":"a"}}') == "a"
    assert tool_name(b'{"name":"b"}') == "b"
    assert tool_name(b"[]") == "?"
