"""Checking a value against a server's JSON Schema, in bounded time: servers write hostile ones.

Whatever goes wrong is the schema's fault, never a failure of the check. Between any two steps the
steps are counted and the clock is looked at; what could take long within a step is done in another
way than `jsonschema` does it, or not at all.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import attrs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry

from db.fields import dump_json
from limits.tools import (
    MAX_META_CHECK_S,
    MAX_REGEX_S,
    MAX_SCHEMA,
    MAX_SCHEMA_CHECK_S,
    MAX_SCHEMA_STEPS,
)
from tools.definitions.patterns import TakesTooLong, is_harmless, matches

_budget: ContextVar["_Budget"] = ContextVar("budget")
Keyword = Callable[..., Any]


class Unusable(Exception):
    """The schema cannot be used; the message says why."""


class _Budget:
    """Upper bounds of one check: steps, and seconds."""

    def __init__(self, steps: float, seconds: float) -> None:
        self._steps = steps
        self._until = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        return self._until - time.monotonic()

    def spend(self) -> None:
        self._steps -= 1
        if self._steps < 0 or self.left_s < 0:
            raise Unusable("checking against the schema takes too long")


@dataclass(frozen=True)
class _Compiled:
    """A compiled schema; `names` are its patterns of property names."""

    validator: Validator
    names: Sequence[str]


def problem(schema: dict[str, Any], value: Any) -> ValidationError | None:
    """What is wrong with `value`; None if it fits. Raises `Unusable`."""
    try:
        compiled = _compiled(dump_json(schema))
        if isinstance(compiled, str):
            raise Unusable(compiled)
        if compiled.names:
            _check_names(compiled.names, value)
        _budget.set(_Budget(MAX_SCHEMA_STEPS, MAX_SCHEMA_CHECK_S))
        found: ValidationError | None = best_match(compiled.validator.iter_errors(value))
        return found
    except Unusable:
        raise
    except Exception as error:
        raise Unusable(_fault(error)) from error


def first_fault(kind: type[Validator], schema: Any, seconds: float) -> ValidationError | None:
    """Why a schema is not valid in this draft of JSON Schema; None if it is. Raises `Unusable`."""
    bounded = _bounded(kind)
    _budget.set(_Budget(float("inf"), seconds))
    return next(bounded(kind.META_SCHEMA).iter_errors(schema), None)


def misfit(schema: dict[str, Any], structured: Any) -> str:
    """Why structured content does not fit the tool's output schema; empty if it does, or if the
    schema cannot be used."""
    if structured is None:
        return "no structured content came, and its output schema asks for some"
    try:
        found = problem(schema, structured)
    except Unusable:
        return ""
    return f"at {found.json_path}: {found.message[:500]}" if found else ""


@lru_cache(maxsize=512)
def _compiled(written: str) -> _Compiled | str:
    """The compiled schema, cached; or why it cannot be used. `$ref`s resolve inside the schema,
    never over the network."""
    if len(written) > MAX_SCHEMA:
        return f"the schema is longer than {MAX_SCHEMA:,} characters"
    try:
        schema = json.loads(written)
        kind = _bounded(validator_for(schema, default=Draft202012Validator))
        _budget.set(_Budget(float("inf"), MAX_META_CHECK_S))
        invalid = next(kind(kind.META_SCHEMA).iter_errors(schema), None)
        if invalid is not None:
            return f"the schema is not valid: {invalid.message}"[:300]
        names = [pattern for part in _parts(schema) for pattern in _of_names(part)]
        return _Compiled(kind(schema, registry=Registry()), names)
    except Unusable:
        return "checking the schema itself takes too long"
    except Exception as error:
        return _fault(error)


def _fault(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the schema is too deep, or refers to itself without end"
    return f"the schema is not valid: {error}"[:300]


@lru_cache
def _bounded(kind: type[Validator]) -> type[Validator]:
    keywords = {name: _counted(keyword) for name, keyword in kind.VALIDATORS.items()}
    keywords["pattern"] = _counted(_pattern)
    keywords["uniqueItems"] = _counted(_unique)
    bounded: type[Validator] = extend(kind, keywords)  # type: ignore[no-untyped-call]
    # The library's own takes another class, without our bounds, for a part with a `$schema`.
    bounded.evolve = attrs.evolve  # type: ignore[assignment]
    return bounded


def _counted(keyword: Keyword) -> Keyword:
    def step(validator: Validator, wanted: Any, instance: Any, schema: Any) -> Any:
        _budget.get().spend()
        return keyword(validator, wanted, instance, schema)

    return step


def _pattern(
    validator: Validator, wanted: str, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """JSON Schema Validation 2020-12, 6.3.3."""
    if not isinstance(instance, str):
        return
    try:
        fits = matches(wanted, instance, min(MAX_REGEX_S, _budget.get().left_s))
    except TakesTooLong:
        raise Unusable(f"its pattern {wanted[:100]!r} takes too long") from None
    except ValueError as error:
        raise Unusable(f"its pattern {wanted[:100]!r} is not one: {error}") from None
    if not fits:
        yield ValidationError(f"{instance!r} does not match {wanted!r}")


def _unique(
    validator: Validator, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """JSON Schema Validation 2020-12, 6.4.3; the library compares each item with each other."""
    if wanted and isinstance(instance, list):
        written = {json.dumps(_plain(item), sort_keys=True) for item in instance}
        if len(written) < len(instance):
            yield ValidationError(f"{instance!r} has non-unique elements")


def _plain(value: Any) -> Any:
    """The value with whole numbers written in one way: 1.0 is 1."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
    return value


def _check_names(patterns: Sequence[str], value: Any) -> None:
    """Patterns of property names are searched by the library itself, in several places: only
    harmless ones are. Raises `Unusable`."""
    names = [len(name) for part in _parts(value) for name in part]
    longest, tries = max(names, default=0), max(len(names) * len(patterns), 1)
    harmless = all(is_harmless(pattern, longest) for pattern in patterns)
    if not harmless or tries > MAX_SCHEMA_STEPS or sum(map(len, patterns)) > MAX_SCHEMA // 10:
        raise Unusable("a pattern of its property names may take for ever")


def _of_names(part: dict[str, Any]) -> list[str]:
    patterns = part.get("patternProperties")
    return list(patterns) if isinstance(patterns, dict) else []


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a JSON value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
