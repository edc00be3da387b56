from typing import Literal

import pytest

from tools import local
from tools.local.schema import context_parameter, local_tool
from tools.values.call import CallContext


def paint(
    context: CallContext,
    colour: Literal["red", "blue"],
    coats: int = 2,
    rooms: list[str] | None = None,
    glossy: bool = False,
) -> str:
    """Paint some rooms.

    Needs dry weather and
    a ladder.

    Args:
        colour: What colour, of those that
            are in store.
        coats: How often.
    """
    return colour


def test_a_schema_follows_the_signature_in_its_order() -> None:
    assert local_tool(paint).parameters == {
        "type": "object",
        "properties": {
            "colour": {
                "type": "string",
                "enum": ["red", "blue"],
                "description": "What colour, of those that are in store.",
            },
            "coats": {"type": "integer", "description": "How often.", "default": 2},
            "rooms": {"type": "array", "items": {"type": "string"}},
            "glossy": {"type": "boolean", "default": False},
        },
        "required": ["colour"],
    }
    assert list(local_tool(paint).parameters["properties"]) == [
        "colour",
        "coats",
        "rooms",
        "glossy",
    ]


def test_the_docstring_without_arguments_is_the_description() -> None:
    assert local_tool(paint).description == ("Paint some rooms.\n\nNeeds dry weather and a ladder.")


def test_the_context_is_the_applications_and_not_the_models() -> None:
    assert context_parameter(paint) == "context"
    assert "context" not in local_tool(paint).parameters["properties"]


def test_an_annotation_without_a_schema_is_refused() -> None:
    def bad(when: bytes) -> str:
        return ""

    with pytest.raises(TypeError, match="bytes"):
        local_tool(bad)


def test_the_definition_has_the_apis_keys_in_the_apis_order() -> None:
    definition = local.TOOLS[0].definition
    assert list(definition) == ["type", "function"]
    assert list(definition["function"]) == ["name", "description", "parameters"]


def test_every_argument_of_the_local_tools_is_described() -> None:
    for tool in local.TOOLS:
        assert tool.description
        assert all("description" in schema for schema in tool.parameters["properties"].values())
