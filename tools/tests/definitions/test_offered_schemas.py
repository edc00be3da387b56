"""What models are offered of a schema that providers would refuse, and what is said of it."""

import json
import time
from typing import Any

import mcp_types
import pytest
from jsonschema import Draft202012Validator

from limits.tools import MAX_OFFERED_SCHEMA
from tools.catalogue import registry
from tools.definitions.offered_schemas import offered
from tools.mcp.findings import Finding, store
from tools.models import Server


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


A, B = {"type": "string"}, {"type": "integer"}
DEEP: dict[str, Any] = {"type": "object"}
for _ in range(3_000):
    DEEP = of(a=DEEP)
REPAIRED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "an unknown type": (of(n={"type": "intger"}), of(n={}), 'n.type: "intger" is not JSON Schema'),
    "one of several": (
        of(n={"type": ["integer", "any"], "title": "N"}),
        of(n={"title": "N"}),
        "n.type",
    ),
    "a parameter that is no schema": (of(n="string"), of(n={}), 'n: "string" is not JSON Schema'),
    "required in the parameter": (of(n={"required": True}), of(n={}), "n.required: true"),
    "a missing reference": (of(n={"$ref": "#/$defs/x"}), of(n={}), "leads nowhere"),
    "an external one": (of(n={"$ref": "https://example.org/x"}), of(n={}), "leads nowhere"),
    "a circle": (
        {**of(n={"$ref": "#/$defs/a"}), "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {**of(n={"$ref": "#/$defs/a"}), "$defs": {"a": {}}},
        "in a circle",
    ),
    "a bad pattern": (of(n={"type": "string", "pattern": "("}), of(n=A), "is not a pattern"),
    "bad patterns of names": (
        {**of(), "patternProperties": {"(": A, "^x": A}},
        {**of(), "patternProperties": {"^x": A}},
        "is not a pattern",
    ),
    "anyOf on top": (
        {"anyOf": [{**of(a=A, b=B), "required": ["a", "b"]}, {**of(a=A), "required": ["a"]}]},
        {**of(a=A, b=B), "required": ["a"]},
        "anyOf stands on top",
    ),
    "oneOf on top": (
        {**of(a=A), "oneOf": [{"required": ["a"]}, {"$ref": "#/$defs/b"}], "$defs": {"b": of(b=B)}},
        {**of(a=A, b=B), "$defs": {"b": of(b=B)}},
        "oneOf stands on top",
    ),
    "allOf on top": (
        {"allOf": [{**of(a=A), "required": ["a"]}, {**of(b=B), "required": ["b"]}]},
        {**of(a=A, b=B), "required": ["a", "b"]},
        "allOf stands on top",
    ),
    "not on top": ({**of(a=A), "not": {"required": ["a"]}}, of(a=A), "not stands on top"),
    "no object on top": ({"type": "string"}, of(), "is no object"),
    "a list": ([1], of(), "its schema is not an object"),
    "too deep": (DEEP, of(), "too deep"),
    "too long": (
        of(a={"description": "x" * MAX_OFFERED_SCHEMA}),
        of(),
        "more than 200,000 characters",
    ),
}


@pytest.mark.parametrize(("listed", "sent", "defect"), REPAIRED.values(), ids=REPAIRED)
def test_what_providers_refuse_is_repaired_and_told(
    listed: Any, sent: dict[str, Any], defect: str
) -> None:
    found = offered(listed)
    assert found.schema == sent
    assert defect in " ".join(found.defects)
    Draft202012Validator.check_schema(found.schema)


GOOD = {
    "a parameter named pattern": of(pattern=A, type=B, required={"type": "boolean"}),
    "references": {
        **of(n={"$ref": "#/$defs/n"}, again={"$ref": "#"}),
        "$defs": {"n": {"type": "array", "items": A}},
    },
    "an anchor": {**of(n={"$ref": "#n"}), "$defs": {"n": {"$anchor": "n", "type": "string"}}},
    "ways below the top": of(n={"anyOf": [A, {"type": "null"}], "default": {"pattern": "("}}),
}


@pytest.mark.parametrize("listed", GOOD.values(), ids=GOOD)
def test_a_good_schema_is_offered_as_it_is(listed: dict[str, Any]) -> None:
    before = json.dumps(listed)
    found = offered(listed)
    assert (json.dumps(found.schema), found.defects) == (before, ())


def test_a_reference_on_top_is_put_in_its_place() -> None:
    found = offered({"$ref": "#/$defs/args", "$defs": {"args": of(a=A)}})
    assert found.schema["properties"] == {"a": A}
    assert "$ref" not in found.schema
    assert found.defects == ()


def test_what_openai_asks_for_and_json_schema_does_not_is_added_in_silence() -> None:
    listed = {"type": "object", "properties": {"a": {"type": "array"}}}
    assert offered(listed).schema == of(a={"type": "array", "items": {}})
    assert offered({"type": "object"}) == offered(of())
    assert offered({"type": "object"}).defects == ()


CHAIN = {f"n{n}": {"$ref": f"#/$defs/n{n + 1}"} for n in range(4_000)}
HOSTILE = {
    "a chain of references": {**of(a={"$ref": "#/$defs/n0"}), "$defs": CHAIN},
    "many anchors": of(
        **{f"n{n}": {"$ref": f"#n{n + 1}", "$anchor": f"n{n}"} for n in range(3_000)}
    ),
    "many faults": of(**{f"n{n}": {"type": "intger"} for n in range(4_000)}),
}


@pytest.mark.long
@pytest.mark.parametrize("listed", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_schema_is_repaired_or_given_up_in_time(listed: dict[str, Any]) -> None:
    began = time.monotonic()
    found = offered(listed)
    assert found.defects
    assert time.monotonic() - began < 15


@pytest.mark.django_db
def test_a_look_keeps_what_is_offered_and_the_defects_beside_what_was_listed() -> None:
    server = Server.objects.create(name="odd", command="true")
    bad = of(n={"type": "intger"}, m=A)
    tool = mcp_types.Tool(name="count", description="Counts.", input_schema=bad)
    store(server, Finding(tools=[tool], protocol="2025-11-25"))
    row = server.tools.get()
    assert row.input_schema == bad
    assert 'n.type: "intger"' in row.quality.warnings[0]
    found = registry.find("odd-count")
    assert found is not None
    assert found.parameters == bad
    assert found.definition["function"]["parameters"] == of(n={}, m=A)
