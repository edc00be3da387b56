"""Schemas that would take for ever are given up: the server judges the arguments itself."""

import json
from typing import Any

import pytest

from tools.calls.execution import parse_arguments
from tools.definitions import schema_validation
from tools.definitions.patterns import is_harmless
from tools.values.tool import Tool

pytestmark = pytest.mark.process

DEEP: dict[str, Any] = {"type": "object"}
for _ in range(2_000):
    DEEP = {"allOf": [DEEP]}
BRANCHING = {
    "$ref": "#/$defs/n0",
    "$defs": {
        f"n{level}": {"allOf": [{"$ref": f"#/$defs/n{level + 1}"}] * 4} for level in range(30)
    }
    | {"n30": {}},
}

TWO = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"text": {"type": "string", "pattern": "^(a+)+$"}}},
        {"patternProperties": {"^(a+)+$": {}}},
        {"$ref": "#"},
        {"$ref": "https://example.org/schema"},
        {"type": "nonsense"},
        {"properties": {"text": {"pattern": "("}}},
        BRANCHING,
        {"$defs": BRANCHING["$defs"], "allOf": [{"$schema": TWO, "$ref": "#/$defs/n0"}]},
        DEEP,
        {"properties": {"text": {"pattern": "a*" * 12 + "b"}}},
        {"properties": {"text": {"pattern": "a{99999999999}"}}},
        {"$ref": "http://["},
        {"$schema": "http://["},
        {"$schema": 5},
        {"$ref": "#/title", "title": "no schema"},
        {"properties": {str(number): {"type": "string"} for number in range(40_000)}},
    ],
    ids=[
        "regex", "names", "loop", "remote", "invalid", "no regex", "branching", "other dialect",
        "deep", "many loops", "huge repeat", "no URL", "no dialect", "number", "no schema", "huge",
    ],
)  # fmt: skip
def test_a_hostile_schema_is_given_up_in_time(schema: dict[str, Any]) -> None:
    text = '{"text": "' + "a" * 40 + '!"}'
    assert isinstance(parse_arguments(Tool("x", "", schema), text), dict)


def test_a_costly_pattern_is_still_checked() -> None:
    schema = {"properties": {"text": {"pattern": "^(ab)+$"}}}
    assert schema_validation.problem(schema, {"text": "abab"}) is None
    assert schema_validation.problem(schema, {"text": "aba"}) is not None


def test_references_and_huge_enums_are_checked() -> None:
    values = [f"v{number}" for number in range(50_000)]
    schema = {"$defs": {"e": {"enum": values}}, "properties": {"e": {"$ref": "#/$defs/e"}}}
    assert schema_validation.problem(schema, {"e": "v49999"}) is None
    assert schema_validation.problem(schema, {"e": "other"}) is not None


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_patterns_of_names_are_given_up_wherever_they_are_looked_at(keyword: str) -> None:
    schema = {keyword: False, "patternProperties": {"^(a+)+$": {}}}
    name = "a" * 40 + "!"
    assert parse_arguments(Tool("x", "", schema), json.dumps({name: 1})) == {name: 1}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"enum": [{"v": number} for number in range(20_000)]}}, ["x"] * 5_000),
        ({"items": {"pattern": "(ab)+"}}, ["ab"] * 1_000),
        ({"items": {"multipleOf": 0.1}}, [10**400]),
    ],
    ids=["enum", "patterns", "number"],
)
def test_a_check_that_takes_long_is_given_up(schema: dict[str, Any], value: list[Any]) -> None:
    with pytest.raises(schema_validation.Unusable):
        schema_validation.problem(schema, value)


def test_many_items_are_compared_without_comparing_each_with_each() -> None:
    schema = {"uniqueItems": True}
    items: list[Any] = [{"n": number} for number in range(20_000)]
    assert schema_validation.problem(schema, [*items, 1, "1", True, None, [1]]) is None
    assert schema_validation.problem(schema, [*items, {"n": 7.0}]) is not None


@pytest.mark.parametrize(
    ("pattern", "length", "harmless"),
    [
        (r"^[a-z0-9_-]{1,64}$", 64, True),
        (r"^\d{4}-\d{2}-\d{2}$", 10, True),
        (r"^[^@]+@[^@]+\.[a-z]+$", 60, True),
        (r"^(a+)+$", 5, False),
        (r"a*a*a*a*b", 400, False),
        (r"x" * 2_000, 1, False),
    ],
)
def test_a_pattern_is_judged_by_its_loops(pattern: str, length: int, harmless: bool) -> None:
    assert is_harmless(pattern, length) is harmless
