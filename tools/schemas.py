"""Checking a value against a server's JSON Schema, in bounded time: servers write hostile ones.

Steps are counted, so that a schema which branches without end is given up. A regular expression
that may take for ever runs in a process of its own: inside this one nothing could stop it.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from tracing.fields import dump_json

MOST_STEPS = 30_000
REGEX_S = 1.0
SHORT = 500  # characters in which one loop after the other is harmless
# Loops around groups, references back, looks around: where backtracking can explode.
_COSTLY = re.compile(r"\)\s*[*+{?]|\\[1-9]|\(\?P?[=<!]")
_SEARCH = "import json,re,sys; p,t=json.load(sys.stdin); print(int(bool(re.search(p,t))))"
_steps: ContextVar[Iterator[int]] = ContextVar("steps")
Keyword = Callable[..., Any]


class Unusable(Exception):
    """The schema is at fault, not the value; the message says why."""


def problem(schema: dict[str, Any], value: Any) -> ValidationError | None:
    """What is wrong with `value`; None if it fits. Raises `Unusable`."""
    _steps.set(count())
    try:
        found: ValidationError | None = best_match(_validator(dump_json(schema)).iter_errors(value))
        return found
    except (SchemaError, Unresolvable, re.error) as error:
        raise Unusable(f"the schema is not valid: {error}"[:300]) from error
    except RecursionError:
        raise Unusable("the schema is too deep, or refers to itself without end") from None


def misfit(schema: dict[str, Any], structured: Any) -> str:
    """Why structured content is not what the tool's output schema says; empty if it is, or if that
    cannot be found out."""
    if structured is None:
        return "no structured content came, and its output schema asks for some"
    try:
        found = problem(schema, structured)
    except Unusable:
        return ""
    return f"at {found.json_path}: {found.message[:500]}" if found else ""


@lru_cache(maxsize=512)
def _validator(written: str) -> Validator:
    """Compiled once per schema. `$ref`s resolve inside the schema, never over the network."""
    schema = json.loads(written)
    kind = validator_for(schema, default=Draft202012Validator)
    kind.check_schema(schema)
    return _bounded(kind)(schema, registry=Registry())


@lru_cache
def _bounded(kind: type[Validator]) -> type[Validator]:
    keywords = {name: _counted(keyword) for name, keyword in kind.VALIDATORS.items()}
    keywords["pattern"] = _counted(_pattern)
    keywords["patternProperties"] = _counted(_plain_patterns(kind.VALIDATORS["patternProperties"]))
    bounded: type[Validator] = extend(kind, keywords)  # type: ignore[no-untyped-call]
    return bounded


def _counted(keyword: Keyword) -> Keyword:
    def step(validator: Validator, wanted: Any, instance: Any, schema: Any) -> Any:
        if next(_steps.get()) > MOST_STEPS:
            raise Unusable("checking against the schema takes too long")
        return keyword(validator, wanted, instance, schema)

    return step


def _pattern(
    validator: Validator, wanted: str, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """JSON Schema Validation 2020-12, 6.3.3."""
    if isinstance(instance, str) and not _matches(wanted, instance):
        yield ValidationError(f"{instance!r} does not match {wanted!r}")


def _plain_patterns(keyword: Keyword) -> Keyword:
    """Patterns of property names are looked at in several places: only harmless ones are."""

    def check(validator: Validator, wanted: dict[str, Any], instance: Any, schema: Any) -> Any:
        if any(_COSTLY.search(pattern) for pattern in wanted):
            raise Unusable("a pattern of its property names may take for ever")
        return keyword(validator, wanted, instance, schema)

    return check


def _matches(pattern: str, text: str) -> bool:
    if len(text) <= SHORT and not _COSTLY.search(pattern):
        return re.search(pattern, text) is not None
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _SEARCH],
            input=json.dumps([pattern, text]).encode(),
            capture_output=True,
            env={},
            timeout=REGEX_S,
        )
    except subprocess.TimeoutExpired:
        raise Unusable(f"its pattern {pattern[:100]!r} takes too long") from None
    if done.returncode:
        raise Unusable(f"its pattern {pattern[:100]!r} is not one")
    return done.stdout.strip() == b"1"
