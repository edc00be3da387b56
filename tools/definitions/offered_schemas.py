"""The JSON Schema of a tool as models are offered it: what providers refuse is left out of it.

A provider refuses a whole request for one schema that it does not take. So a listed schema is
repaired, part by part, and each repair is a defect of the tool, which its pages show:

- what is no JSON Schema (2020-12) is left out: an unknown type, a pattern that is none, a keyword
  with an odd value; a parameter that is none takes anything;
- so is a reference that leads nowhere, in a circle, or out of the schema;
- on top stands an object: what a reference there leads to takes its place, and the parameters of
  `anyOf`, `oneOf` and `allOf` are put together, required where every way asks for them;
- what cannot be read at all becomes an object that takes anything.

Arguments are still checked against the schema as it was listed, as far as that can be used, and by
the server.
"""

import copy
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator

from languages.stored import stored
from limits.tools import (
    MAX_LISTED_DEFECTS,
    MAX_OFFERED_SCHEMA,
    MAX_REFERENCES,
    MAX_REPAIR_S,
    MAX_REPAIRS_S,
)
from tools.definitions import schema_validation

NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}}
_BY_NAME = frozenset(
    {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset(
    (
        *("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then"),
        *("else", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
    )
)
_WAYS = ("allOf", "anyOf", "oneOf")
_NOT_ON_TOP = (*_WAYS, "not", "enum", "const", "if", "then", "else")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
Path = Sequence[str | int]


@dataclass(frozen=True)
class Offered:
    """The schema that is sent, and sentences about the defects of the listed one."""

    schema: dict[str, Any]
    defects: tuple[str, ...] = ()


def offered(listed: Any) -> Offered:
    """The schema that models are offered, made from a listed one, which is not changed."""
    try:
        if len(json.dumps(listed)) > MAX_OFFERED_SCHEMA:
            return _open(
                stored(
                    "its schema has more than %(most)s characters", most=f"{MAX_OFFERED_SCHEMA:,}"
                )
            )
        repair = _Repair(copy.deepcopy(listed))
        return repair.done()
    except schema_validation.Unusable as error:
        return _open(str(error))
    except (RecursionError, ValueError):
        return _open(stored("its schema is too deep, or refers to itself without end"))


def of_list(listed: Sequence[Any]) -> list[Offered]:
    """The same for all tools of a server, in bounded time."""
    until = time.monotonic() + MAX_REPAIRS_S
    late = stored("checking the schemas of its server takes too long")
    return [offered(one) if time.monotonic() < until else _open(late) for one in listed]


def _open(why: str) -> Offered:
    sentence = stored("Models are told nothing of its parameters: %(why)s.", why=why)
    return Offered(dict(NOTHING), (sentence,))


class _Repair:
    """One schema during its repair; `defects` collects sentences."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.defects: list[str] = []

    def done(self) -> Offered:
        if not isinstance(self.schema, dict):
            return _open(stored("its schema is not an object"))
        self._leave_out_invalid()
        self._leave_out_patterns()
        self._leave_out_references()
        self._put_object_on_top()
        for part in _schemas(self.schema):
            if part.get("type") == "array":
                part.setdefault("items", {})
        return Offered(self.schema, tuple(_few(self.defects)))

    def _leave_out_invalid(self) -> None:
        until = time.monotonic() + MAX_REPAIR_S
        while time.monotonic() < until:
            error = schema_validation.first_fault(Draft202012Validator, self.schema, MAX_REPAIR_S)
            if error is None:
                return
            path = list(error.absolute_path)
            if not path:
                raise ValueError(error.message)
            self._tell(path, _at(self.schema, path), stored("is not JSON Schema"))
            _remove(self.schema, path)
        raise schema_validation.Unusable(stored("checking its schema takes too long"))

    def _leave_out_patterns(self) -> None:
        for part in list(_schemas(self.schema)):
            if not _is_pattern(part.get("pattern", "")):
                self._tell(["pattern"], part.pop("pattern"), stored("is not a pattern"))
            named = part.get("patternProperties", {})
            for name in [name for name in named if not _is_pattern(name)]:
                self._tell(["patternProperties"], name, stored("is not a pattern"))
                del named[name]

    def _leave_out_references(self) -> None:
        for part in list(_schemas(self.schema)):
            for key in _REFERENCES:
                if isinstance(part.get(key), str) and self._target(part[key]) is None:
                    self._tell(
                        [key], part.pop(key), stored("leads nowhere, in a circle, or out of it")
                    )

    def _target(self, reference: str) -> dict[str, Any] | bool | None:
        """What a reference leads to within the schema, over other references."""
        for _ in range(MAX_REFERENCES):
            found = self._pointed_to(reference)
            if not isinstance(found, dict):
                return found if isinstance(found, bool) else None
            following = found.get("$ref")
            if not isinstance(following, str):
                return found
            reference = following
        return None

    def _pointed_to(self, reference: str) -> Any:
        """What `#/$defs/name` or `#anchor` leads to; None if it is not there."""
        if reference == "#" or reference.startswith("#/"):
            return _under(self.schema, reference[2:].split("/") if len(reference) > 1 else ())
        return self._anchors.get(reference[1:]) if reference.startswith("#") else None

    @cached_property
    def _anchors(self) -> dict[str, Any]:
        parts = [part for part in _schemas(self.schema) if isinstance(part.get("$anchor"), str)]
        return {part["$anchor"]: part for part in parts}

    def _put_object_on_top(self) -> None:
        top = self.schema
        if isinstance(reference := top.get("$ref"), str):
            target = self._target(reference)
            del top["$ref"]
            if isinstance(target, dict) and target is not top:
                for key, value in copy.deepcopy(target).items():
                    top.setdefault(key, value)
        kinds = top.get("type", "object")
        if "object" not in ([kinds] if isinstance(kinds, str) else kinds):
            self._tell(["type"], kinds, stored("is no object, which arguments are"))
            top.clear()
        for key in [key for key in _NOT_ON_TOP if key in top]:
            self._merge(key, top.pop(key))
        top |= {"type": "object", "properties": top.get("properties", {})}

    def _merge(self, key: str, value: Any) -> None:
        top = self.schema
        self.defects.append(
            stored("%(key)s stands on top of its schema, which providers refuse: ", key=key)
            + (
                stored("its parameters were put together.")
                if key in _WAYS
                else stored("it was left out.")
            )
        )
        if key not in _WAYS:
            return
        ways = [self._resolved(way) for way in value]
        properties = top.setdefault("properties", {})
        for way in ways:
            for name, schema in way.get("properties", {}).items():
                properties.setdefault(name, schema)
        needed = [set(way.get("required", ())) for way in ways]
        together: Callable[..., set[str]] = set.union if key == "allOf" else set.intersection
        required = together(*needed) if needed else set()
        also = [name for name in properties if name in required]
        if also:
            top["required"] = list(dict.fromkeys([*top.get("required", ()), *also]))

    def _resolved(self, way: Any) -> dict[str, Any]:
        if isinstance(way, dict) and isinstance(way.get("$ref"), str):
            way = self._target(way["$ref"])
        return way if isinstance(way, dict) else {}

    def _tell(self, path: Path, value: Any, what: str) -> None:
        where = ".".join(str(step) for step in path if step not in _BY_NAME)
        written = json.dumps(value, ensure_ascii=False)
        shown = written if len(written) <= 60 else written[:60] + " …"
        self.defects.append(f"{where or 'Its schema'}: {shown} {what}; it was left out.")


def _few(sentences: Sequence[str]) -> Iterator[str]:
    distinct = list(dict.fromkeys(sentences))
    yield from distinct[:MAX_LISTED_DEFECTS]
    if len(distinct) > MAX_LISTED_DEFECTS:
        yield stored(
            "There are %(count)s more such defects.", count=len(distinct) - MAX_LISTED_DEFECTS
        )


def _is_pattern(written: Any) -> bool:
    try:
        re.compile(written)
    except (re.error, TypeError, OverflowError, RecursionError):
        return False
    return True


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all that stand in it, not their values, such as a `default`."""
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict):
            continue
        yield one
        for key, part in one.items():
            if key in _BY_NAME and isinstance(part, dict):
                waiting += part.values()
            elif key in _LISTS and isinstance(part, list):
                waiting += part
            elif key in _SINGLE:
                waiting.append(part)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _remove(schema: Any, path: Path) -> None:
    """Removes the part at `path`; a named schema becomes `{}`, which accepts anything."""
    parent = _at(schema, path[:-1])
    if isinstance(parent, dict) and len(path) > 1 and path[-2] in _BY_NAME:
        parent[path[-1]] = {}
    else:
        del parent[path[-1]]


def _under(value: Any, steps: Iterable[str]) -> Any:
    """The value at a JSON pointer (RFC 6901), percent-decoded; None if there is none."""
    for step in steps:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
