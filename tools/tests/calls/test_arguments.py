from typing import Any

import pytest

from tools.calls.execution import parse_arguments, unknown_tool
from tools.values.call import ToolResult
from tools.values.tool import Tool

QUERY = Tool(
    name="sqlite-read_query",
    description="",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
        "required": ["query"],
    },
)
LIST = Tool("sqlite-list_tables", "", {"type": "object", "properties": {}, "required": []})


def refusal(tool: Tool, text: str) -> str:
    result = parse_arguments(tool, text)
    assert isinstance(result, ToolResult)
    assert result.is_error
    return result.text


def test_valid_arguments_are_returned() -> None:
    assert parse_arguments(QUERY, '{"query": "SELECT 1"}') == {"query": "SELECT 1"}


@pytest.mark.parametrize("text", ["", "  \n", "{}"])
def test_nothing_counts_as_no_arguments(text: str) -> None:
    assert parse_arguments(LIST, text) == {}


@pytest.mark.parametrize("text", ['{"query": "SEL', "query=1", "{'query': 1}", "[" * 100_000])
def test_what_is_not_json_is_refused(text: str) -> None:
    assert "not valid JSON" in refusal(QUERY, text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[]", "an array"),
        ('"x"', "a string"),
        ("1", "a number"),
        ("null", "null"),
        ("true", "a bo"),
    ],
)
def test_what_is_not_an_object_is_refused(text: str, kind: str) -> None:
    assert f"must be a JSON object, not {kind}" in refusal(QUERY, text)


def test_a_violation_says_where_what_and_what_is_expected() -> None:
    text = refusal(QUERY, '{"query": "SELECT 1", "limit": 0}')
    assert "At $.limit: 0 is less than the minimum of 1" in text
    assert '"required":["query"]' in text
    assert "sqlite-read_query was not run" in text


def test_a_missing_argument_is_named() -> None:
    assert "'query' is a required property" in refusal(QUERY, "{}")


def test_a_long_wrong_value_is_not_repeated_in_full() -> None:
    assert len(refusal(QUERY, '{"query": ["' + "x" * 100_000 + '"]}')) < 2000


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "no such type"},
        {"$ref": "#/missing"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"type": "object", "properties": {"query": {"pattern": "["}}},
    ],
)
def test_a_broken_schema_leaves_the_judgement_to_the_server(parameters: dict[str, Any]) -> None:
    tool = Tool("odd-tool", "", parameters)
    assert parse_arguments(tool, '{"query": "x"}') == {"query": "x"}


def test_the_draft_that_a_schema_names_is_used() -> None:
    tool = Tool(
        "odd-tool",
        "",
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": {"n": {"minimum": 1, "exclusiveMinimum": True}},
        },
    )
    assert isinstance(parse_arguments(tool, '{"n": 1}'), ToolResult)


def test_an_unknown_tool_is_answered_with_what_there_is() -> None:
    result = unknown_tool("sqlite-read_querry", ["calculate", "sqlite-read_query"])
    assert result.is_error
    assert "Did you mean 'sqlite-read_query'?" in result.text
    assert "Available tools: calculate, sqlite-read_query." in result.text


def test_an_unknown_tool_where_none_is_offered() -> None:
    assert "no tool is available" in unknown_tool("x", []).text


def test_of_hundreds_of_tools_not_all_are_named() -> None:
    result = unknown_tool("nothing", [f"tool_{number}" for number in range(250)])
    assert result.text.endswith("tool_99, and 150 more.")
