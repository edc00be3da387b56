"""Rules 8 to 10 of the dialects' specification: what a model says in the nous dialect."""

import json
from typing import Any

import pytest
from hypothesis import given

from chat.llm.dialects import dialect
from chat.llm.dialects.contract import Answer
from chat.tests.llm.conversations import block, json_objects, names


def answer(text: str) -> Answer:
    return dialect("nous").answer({"role": "assistant", "content": text})


def asked(text: str) -> list[tuple[str, str]]:
    """Names and arguments of the calls in a text that has nothing malformed."""
    read = answer(text)
    assert read.errors == []
    return [(one["function"]["name"], one["function"]["arguments"]) for one in read.tool_calls]


# 8. Text and calls


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("  Hello\n", "Hello"),
        (f"Look:\n{block('f')}", "Look:"),
        (f"{block('f')}\n after ", "after"),
        (f"a{block('f')}b{block('g')}c", "abc"),
        (f"a\n{block('f')}\nb", "a\n\nb"),
        (f"{block('f')}\n{block('g')}\n", ""),
    ],
)
def test_text_outside_of_blocks_is_content(text: str, content: str) -> None:
    assert answer(text).content == content


def test_each_block_is_a_call_with_an_id_of_its_own() -> None:
    calls = answer(block("f") * 3).tool_calls

    assert len({call["id"] for call in calls} - {""}) == 3
    assert {call["type"] for call in calls} == {"function"}


def test_two_answers_share_no_id() -> None:
    assert answer(block("f")).tool_calls[0]["id"] != answer(block("f")).tool_calls[0]["id"]


def test_unknown_names_pass_through() -> None:
    assert asked(block("никогда не слышал")) == [("никогда не слышал", "{}")]


@pytest.mark.parametrize(
    "arguments",
    ['{"a":1}', '{ "a" : 1e5, "b":1.0 }', '{"n": 123456789012345678901234567890}',
     '{"a": "\\ud83d\\ude00"}', '{"a": 1, "a": 2}', '{\n  "a": null\n}'],
)  # fmt: skip
def test_arguments_are_the_text_that_the_model_wrote(arguments: str) -> None:
    text = f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'

    assert asked(text) == [("f", arguments)]


@given(name=names, arguments=json_objects)
def test_every_call_that_we_write_is_read_again(name: str, arguments: dict[str, Any]) -> None:
    ((read_name, read_arguments),) = asked(block(name, arguments))

    assert (read_name, json.loads(read_arguments)) == (name, arguments)


def test_an_object_given_as_a_string_is_unwrapped() -> None:
    assert asked(block("f", '{"a": 1}')) == [("f", '{"a": 1}')]


@pytest.mark.parametrize("arguments", ['"a: 1"', "[1]", "42", "9" * 5000])
def test_arguments_that_are_no_object_are_kept_and_reported(arguments: str) -> None:
    read = answer(f'<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>')

    assert [call["function"]["arguments"] for call in read.tool_calls] == [arguments]
    assert read.errors == ["The arguments of tool call 1 (f) are not a JSON object."]


@pytest.mark.parametrize("text", ['{"name": "f"}', '{"name": "f", "arguments": null}'])
def test_a_call_without_arguments_has_none(text: str) -> None:
    assert asked(f"<tool_call>{text}</tool_call>") == [("f", "{}")]


def test_the_last_of_duplicate_keys_counts() -> None:
    text = '{"name": "f", "name": "g", "arguments": {"a": 1}, "arguments": {}}'

    assert asked(f"<tool_call>{text}</tool_call>") == [("g", "{}")]


def test_arguments_may_come_before_the_name_and_other_keys_mean_nothing() -> None:
    text = '{"id": 7, "arguments": {"a": 1}, "name": "f"}'

    assert asked(f"<tool_call>{text}</tool_call>") == [("f", '{"a": 1}')]


PARAMETERS = '<tool_call>\n{"name": "f", "parameters": {"a": 1.0}}\n</tool_call>'
NOTED = ["The arguments of a call of f stood under parameters; they were taken."]


def test_parameters_are_taken_for_the_arguments_and_noted() -> None:
    read = answer(PARAMETERS)

    assert (asked(PARAMETERS), read.errors, read.notes) == ([("f", '{"a": 1.0}')], [], NOTED)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_parameters_are_taken_of_a_stream_too(size: int) -> None:
    parser = dialect("nous").stream()
    for at in range(0, len(PARAMETERS), size):
        parser.feed({"content": PARAMETERS[at : at + size]})
    read = parser.finish()[1]

    assert read.tool_calls[0]["function"] == {"name": "f", "arguments": '{"a": 1.0}'}
    assert (read.errors, read.notes) == ([], NOTED)


def test_parameters_beside_arguments_are_an_error_and_the_arguments_count() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": 1}, "parameters": {"b": 2}}</tool_call>'

    assert answer(text).tool_calls[0]["function"] == {"name": "f", "arguments": '{"a": 1}'}
    assert "members that do not belong there: 'parameters'" in answer(text).errors[0]


def test_the_end_tag_of_the_last_block_may_be_missing() -> None:
    assert asked('<tool_call>\n{"name": "f", "arguments": {}}\n') == [("f", "{}")]


def test_the_end_tag_of_the_last_block_may_be_cut() -> None:
    read = answer('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_c')

    assert (len(read.tool_calls), read.content, read.errors) == (1, "", [])


def test_the_end_tag_before_another_block_may_be_missing() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {}}\n' + block("g")

    assert [name for name, _ in asked(text)] == ["f", "g"]


def test_calls_of_another_dialect_are_reported() -> None:
    read = dialect("nous").answer({"content": "", "tool_calls": [{"id": "x"}]})

    assert read.errors == ["The answer has tool_calls, which this dialect does not read."]


def test_half_a_surrogate_pair_is_replaced_in_a_name_and_escaped_in_arguments() -> None:
    text = '{"name": "f\\ud83d", "arguments": "{\\"a\\": \\"\\ud83d\\"}"}'

    assert asked(f"<tool_call>{text}</tool_call>") == [("f\ufffd", '{"a": "\\ud83d"}')]


# 9. Reasoning


def test_a_think_block_at_the_start_is_reasoning() -> None:
    read = answer("\n<think>\n hm \n</think>\n\nSo.")

    assert read.message == {"role": "assistant", "content": "So.", "reasoning_content": "hm"}


def test_nothing_inside_of_reasoning_is_a_call() -> None:
    read = answer(f"<think>{block('f')}</think>{block('g')}")

    assert [call["function"]["name"] for call in read.tool_calls] == ["g"]
    assert read.message["reasoning_content"] == block("f")


def test_reasoning_that_does_not_end_is_all_there_is() -> None:
    read = answer(f"<think>hm {block('f')}")

    assert read.tool_calls == []
    assert (read.content, read.message["reasoning_content"]) == ("", f"hm {block('f')}")


@pytest.mark.parametrize("text", ["<think></think>a", "<think>\n\n</think>\n\na", "</think>a"])
def test_empty_reasoning_is_none(text: str) -> None:
    assert answer(text).message == {"role": "assistant", "content": "a"}


def test_a_lone_end_of_reasoning_before_any_call_counts() -> None:
    read = answer(f" hm\n</think>\n\nSo. {block('f')}")

    assert (read.content, read.message["reasoning_content"]) == ("So.", "hm")
    assert len(read.tool_calls) == 1


def test_a_lone_end_of_reasoning_after_a_call_means_nothing() -> None:
    read = answer(f"a {block('f')} b</think> c")

    assert read.content == "a  b c"
    assert "reasoning_content" not in read.message


def test_an_end_of_reasoning_in_a_string_of_a_call_is_text_of_the_call() -> None:
    assert asked(block("f", {"a": "</think>"})) == [("f", '{"a": "</think>"}')]


def test_a_malformed_block_within_reasoning_does_not_hide_its_end() -> None:
    read = answer('I could <tool_call>{"name": no</think>So.')

    assert read.content == "So."
    assert read.message["reasoning_content"] == 'I could {"name": no'


def test_the_first_end_ends_nested_reasoning() -> None:
    read = answer("<think>a <think>b</think> c</think> d")

    assert (read.message["reasoning_content"], read.content) == ("a <think>b", "c d")


def test_a_second_think_block_at_the_start_is_reasoning_too() -> None:
    read = answer("<think>a</think>\n<think>b</think>c")

    assert (read.message["reasoning_content"], read.content) == ("a\nb", "c")


def test_think_tags_further_on_are_text() -> None:
    text = "Models use <think> and </think> for that."

    assert answer(text).content == text


def test_a_think_block_behind_a_call_is_text() -> None:
    assert answer(f"{block('f')}<think>hm</think>").content == "<think>hm</think>"


def test_an_end_more_than_there_are_think_tags_is_a_lone_one() -> None:
    read = answer("I <think> so </think> far</think>So.")

    assert read.content == "So."
    assert read.message["reasoning_content"] == "I <think> so </think> far"


def test_a_think_tag_further_on_hides_no_call() -> None:
    assert len(asked(f"The <think> tag. {block('f')}")) == 1


# 10. Where a block ends


def test_an_end_tag_in_a_string_does_not_end_the_block() -> None:
    arguments = {"a": 'x</tool_call>"y\\', "b": "<tool_call>{}</tool_call>"}

    ((_, read),) = asked(block("f", arguments))

    assert json.loads(read) == arguments


def test_a_block_in_a_code_fence_is_a_call() -> None:
    read = answer(f"```json\n{block('f')}\n```")

    assert len(read.tool_calls) == 1
    assert read.content == "```json\n\n```"
