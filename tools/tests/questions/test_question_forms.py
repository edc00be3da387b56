"""Answers to a server's form: what fits, and that no form costs more than its length."""

import threading
from typing import Any

import pytest

from tests import patience
from tools.questions.question_forms import check

ANSWER = {"field": "a" * 28 + "!"}
SLOW = r"^(a+)+$"
BOMB = {
    "$defs": {"0": {"const": 1}}
    | {str(n): {"allOf": [{"$ref": f"#/$defs/{n - 1}"}] * 2} for n in range(1, 25)},
    "$ref": "#/$defs/24",
}
HOSTILE = [
    {"type": "string", "pattern": SLOW},
    {"not": {"pattern": SLOW}},
    {"anyOf": [{"pattern": SLOW}]},
    {"oneOf": [{"const": "b", "pattern": SLOW}]},
    {"if": {"pattern": SLOW}, "then": False},
    {"allOf": [{"pattern": SLOW}]},
    BOMB,
    {"type": "string", "contentSchema": {"pattern": SLOW}},
]


def form(field: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"field": field}}


@pytest.mark.parametrize("field", HOSTILE)
def test_no_part_of_a_form_holds_the_process(field: dict[str, Any]) -> None:
    assert _ends(lambda: check(form(field), ANSWER))


@pytest.mark.parametrize(
    "items",
    [{"pattern": SLOW}, {"not": {"pattern": SLOW}}, {"anyOf": [{"pattern": SLOW}]}],
)
def test_nor_does_a_part_for_the_items_of_a_list(items: dict[str, Any]) -> None:
    field = {"type": "array", "items": items, "uniqueItems": True}
    assert _ends(lambda: check(form(field), {"field": [ANSWER["field"]] * 5_000}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "string", "maxLength": 3}, "four"),
        ({"type": "integer", "minimum": 3}, 2),
        ({"type": "integer"}, "2"),
        ({"type": "string", "enum": ["a"]}, "b"),
        ({"oneOf": [{"const": "a", "title": "A"}]}, "b"),
        ({"type": "array", "maxItems": 1, "items": {"enum": ["a", "b"]}}, ["a", "b"]),
        ({"type": "array", "items": {"anyOf": [{"const": "a"}]}}, ["b"]),
        ({"type": "string", "format": "email"}, "nobody"),
    ],
)
def test_what_does_not_fit_is_told(field: dict[str, Any], value: Any) -> None:
    assert "field" in check(form(field), {"field": value})


@pytest.mark.parametrize(
    "field", [{"type": "strin"}, {"minLength": "x"}, {"enum": 3}, {"oneOf": [{}]}, {"type": None}]
)
def test_a_form_that_is_no_schema_is_left_to_its_server(field: dict[str, Any]) -> None:
    assert check(form(field), {"field": "x"}) == {}


def _ends(work: Any) -> bool:
    """Whether it is done within 5 s."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(patience.SECONDS)
    return not thread.is_alive()
