"""Attributes of spans, traces and payloads are read and written through their accessors."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tracing.models import Span
from tracing.models.attributes import call_attributes

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[1]
APPS = (
    "api",
    "audit",
    "chat",
    "tokens",
    "tools",
    "tracing",
    "config",
    "jobs",
    "db",
    "wire",
    "benchmarks",
)
ACCESSORS = "tracing/models/attributes.py"
METHODS = {"get", "pop", "setdefault"}


def _files() -> Iterator[Path]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not {"tests", "migrations"} & set(path.parts) and name != ACCESSORS:
                yield path


def literal_accesses(source: str) -> list[int]:
    """Lines with a literal key of an `.attributes`, or of a name bound to one in its function."""
    tree = ast.parse(source)
    lines = set(_accesses(tree, set()))
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            lines |= set(_accesses(scope, set(_bound(scope))))
    return sorted(lines)


def _bound(scope: ast.AST) -> Iterator[str]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and _is_column(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and node.value and _is_column(node.value):
            yield from [node.target.id] if isinstance(node.target, ast.Name) else []


def _is_column(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "attributes"


def _accesses(scope: ast.AST, names: set[str]) -> Iterator[int]:
    for node in ast.walk(scope):
        owner, key = _access(node)
        is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
        named = isinstance(owner, ast.Name) and owner.id in names
        if owner is not None and is_text and (_is_column(owner) or named):
            yield getattr(node, "lineno", 0)


def _access(node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    match node:
        case ast.Subscript(value=owner, slice=key):
            return owner, key
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[key, *_]):
            return (owner, key) if name in METHODS else (None, None)
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[owner]):
            return owner, key
    return None, None


def test_no_key_is_read_or_written_beside_the_accessors() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in _files()
        for line in literal_accesses(path.read_text())
    ]

    assert found == []


def test_the_scan_finds_each_form_of_an_access() -> None:
    source = """
def f(span):
    noted = span.attributes
    span.attributes["a"] = 1
    span.attributes.get("a")
    noted.pop("a")
    "a" in noted
    call_attributes(span)["a"]
"""

    assert literal_accesses(source) == [4, 5, 6, 7]


def test_an_accessor_gives_the_span_its_own_dictionary() -> None:
    span = Span()

    call_attributes(span)["late"] = True

    assert span.attributes == {"late": True}
