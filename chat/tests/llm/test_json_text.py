import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.json_text import is_object, parse_json, prompt_json, read_members, wire_json
from chat.tests.llm.conversations import json_objects, json_values
from db.fields import dump_json


@given(value=json_values)
def test_the_wire_has_no_spaces_and_is_what_traces_store(value: Any) -> None:
    assert wire_json(value) == dump_json(value)


def test_prompts_have_python_s_separators() -> None:
    assert prompt_json({"a": [1, "北"]}) == '{"a": [1, "北"]}'


@given(text=st.text(st.characters(codec=None)))
def test_every_string_can_be_encoded_and_comes_back(text: str) -> None:
    assert json.loads(wire_json([text]).encode()) == [text]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("NaN", "NaN is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        ("1e999", "a number that is too large: 1e999"),
        ("9" * 5000, "integer string conversion"),
        ("[" * 100_000, "nested too deeply"),
        ("{'a'}", "Expecting property name"),
    ],
    ids=lambda text: text[:9],
)
def test_what_is_no_json_or_too_much_is_a_value_error(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_json(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        wire_json([value])


def test_nesting_without_end_is_not_written() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    with pytest.raises(ValueError, match="nested too deeply"):
        wire_json(value)


@given(value=json_objects, indent=st.sampled_from([None, 1]))
def test_members_have_the_text_that_they_were_read_from(
    value: dict[str, Any], indent: int | None
) -> None:
    members = read_members(json.dumps(value, indent=indent))

    assert {key: json.loads(text) for key, (_, text) in members.items()} == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Expecting value"),
        ("[]", "not an object"),
        ("{} {}", "Extra data"),
        ('{"a"}', "Expecting ':'"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
    ids=lambda text: text[:9],
)
def test_members_of_what_is_no_object_are_a_value_error(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_members(text)


@pytest.mark.parametrize(("text", "expected"), [("{}", True), ("[]", False), ("{", False)])
def test_an_object_is_known(text: str, expected: bool) -> None:
    assert is_object(text) is expected
