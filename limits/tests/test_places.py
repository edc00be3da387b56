import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from limits.areas import ALL

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
APPS = ("config", "api", "chat", "tools", "tracing", "tokens", "audit", "db", "wire", "jobs")


def test_the_names_of_limits_are_unique() -> None:
    counts = Counter(entry.name for entry in ALL)
    assert [name for name, count in counts.items() if count > 1] == []


def test_each_limit_is_used() -> None:
    used = {name for module in _modules() for name in _loaded(module)}
    assert [entry.name for entry in ALL if entry.name not in used] == []


def test_each_limit_says_what_it_bounds_and_what_is_beyond() -> None:
    assert [entry.name for entry in ALL if not (entry.limit.bounds and entry.limit.beyond)] == []


def _modules() -> Iterator[ast.Module]:
    """Those of the product, parsed."""
    for app in APPS:
        for file in (ROOT / app).rglob("*.py"):
            if not {"tests", "migrations"} & set(file.relative_to(ROOT).parts):
                yield ast.parse(file.read_bytes())


def _loaded(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
