"""Schemas that would take for ever are given up: the server judges the arguments itself."""

from typing import Any

import pytest

from tools import schemas
from tools.execution import parse_arguments
from tools.tool import Tool

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
        DEEP,
    ],
    ids=["regex", "names", "loop", "remote", "invalid", "no regex", "branching", "deep"],
)
def test_a_hostile_schema_is_given_up_in_time(schema: dict[str, Any]) -> None:
    text = '{"text": "' + "a" * 40 + '!"}'
    assert isinstance(parse_arguments(Tool("x", "", schema), text), dict)


def test_a_costly_pattern_is_still_checked() -> None:
    schema = {"properties": {"text": {"pattern": "^(ab)+$"}}}
    assert schemas.problem(schema, {"text": "abab"}) is None
    assert schemas.problem(schema, {"text": "aba"}) is not None


def test_references_and_huge_enums_are_checked() -> None:
    values = [f"v{number}" for number in range(50_000)]
    schema = {"$defs": {"e": {"enum": values}}, "properties": {"e": {"$ref": "#/$defs/e"}}}
    assert schemas.problem(schema, {"e": "v49999"}) is None
    assert schemas.problem(schema, {"e": "other"}) is not None
