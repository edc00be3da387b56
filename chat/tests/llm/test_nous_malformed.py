"""Rule 11 of the dialects' specification: what is malformed is no call, and is not lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects import dialect
from chat.llm.dialects.contract import Answer
from chat.llm.dialects.problems import ProblemKind
from chat.tests.llm.conversations import block, json_objects, names

MALFORMED = [
    "42",
    "null",
    '"text"',
    "[]",
    '[{"name": "f", "arguments": {}}]',
    "{}",
    '{"arguments": {}}',
    '{"name": 7, "arguments": {}}',
    '{"name": "", "arguments": {}}',
    '{"name": null}',
    '{"name": "f", "args": {"a": 1}}',
    '{"name": "f", "input": {"a": 1}}',
    '{"name": "f", "a": 1}',
    '{"name": "f", "arguments": null, "command": "ls"}',
    '{"name": "f", "arguments": {}',
    '{"name": "f", "arguments": {"a": 1}} trailing',
    '{"name": "f", "arguments": {}}{"name": "g", "arguments": {}}',
    "{'name': 'f'}",
    "{name: f}",
    '{"name": "f", "arguments": {"a": NaN}}',
    '{"name": "f",}',
    '{"name": "f", "arguments": {"a": "b\nc"}}',
    '{"name": "f, "arguments": {}}',
    '{"name": "f", "arguments": {"a": "b}}',
    '{"name": "f", "arguments": {"a": 01}}',
    "call f",
    "[" * 100_000,
    '{"name": "f", "arguments": ' + "[" * 100_000 + "]" * 100_000 + "}",
]


def answer(text: str) -> Answer:
    return dialect("nous").answer({"role": "assistant", "content": text})


@pytest.mark.parametrize("inner", MALFORMED, ids=lambda inner: inner[:40])
def test_a_malformed_block_is_no_call_and_its_text_is_kept(inner: str) -> None:
    read = answer(f"before <tool_call>\n{inner}\n</tool_call> after")

    assert read.tool_calls == []
    assert read.content == f"before \n{inner}\n after"
    assert len(read.errors) == 1


@pytest.mark.parametrize("inner", MALFORMED, ids=lambda inner: inner[:40])
def test_valid_neighbours_of_a_malformed_block_still_count(inner: str) -> None:
    bad = f"<tool_call>{inner}</tool_call>"

    read = answer(f"{block('f')}\n{bad}\n{block('g')}")

    assert [call["function"]["name"] for call in read.tool_calls] == ["f", "g"]


@pytest.mark.parametrize("inner", MALFORMED, ids=lambda inner: inner[:40])
def test_a_malformed_block_that_does_not_end_hides_no_call_behind_it(inner: str) -> None:
    read = answer(f"<tool_call>{inner}\n{block('g')}")

    assert [call["function"]["name"] for call in read.tool_calls][-1:] == ["g"]
    assert read.errors


@pytest.mark.parametrize("inner", ["", "\n", " \n\t"])
def test_an_empty_block_is_an_error(inner: str) -> None:
    read = answer(f"<tool_call>{inner}</tool_call>")

    assert (read.content, read.tool_calls, len(read.errors)) == ("", [], 1)


def test_an_error_says_where_and_why() -> None:
    read = answer('ab <tool_call>{"name": "f",}</tool_call>')

    assert read.errors == [
        "The tool call at character 3 is malformed: it is not a JSON object: "
        "Expecting property name enclosed in double quotes: line 1 column 14 (char 13)."
    ]


@pytest.mark.long
@given(name=names, arguments=json_objects, data=st.data())
def test_a_call_that_is_cut_in_the_middle_is_never_a_call(
    name: str, arguments: dict[str, Any], data: st.DataObject
) -> None:
    text = block(name, arguments)
    end = data.draw(st.integers(0, text.rindex("}")))

    assert answer(text[:end]).tool_calls == []


def test_a_call_that_is_cut_keeps_its_text_and_is_an_error() -> None:
    read = answer('Well: <tool_call>\n{"name": "f", "argu')

    assert read.content == 'Well: \n{"name": "f", "argu'
    assert read.errors == ["The tool call at character 6 is malformed: the answer ends within it."]


def test_an_end_tag_alone_does_not_show_and_is_an_error() -> None:
    read = answer('{"name": "f"}\n</tool_call> b')

    assert read.content == '{"name": "f"}\n b'
    assert read.errors == ["The </tool_call> at character 14 ends nothing."]


def test_a_problem_has_its_kind_and_its_place() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}, "x": 1}</tool_call>'
    text = f"Hi <tool_call>x</tool_call>{call}</tool_call>"
    malformed, odd, stray = answer(text).problems
    assert (malformed.kind, malformed.start) == (ProblemKind.MALFORMED_CALL, 3)
    assert text[malformed.start :].startswith("<tool_call>x")
    assert text[odd.start : odd.end] == call
    assert text[stray.start : stray.end] == "</tool_call>"
    assert {problem.path for problem in (malformed, odd, stray)} == {"content"}


def test_of_very_many_errors_the_first_are_told() -> None:
    errors = answer("<tool_call>x" * 1000).errors

    assert len(errors) == 21
    assert errors[-1] == "There are 980 more such errors."
