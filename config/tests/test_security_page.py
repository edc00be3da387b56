"""The page that promises: each test that it names is there."""

import ast
import re

import pytest

from config.home import BASE_DIR

NAMED = sorted(
    set(re.findall(r"`([\w/]+\.py)::(\w+)`", (BASE_DIR / "docs/security.md").read_text()))
)
FILES = sorted({path for path, _ in NAMED})


@pytest.mark.parametrize("path", FILES)
def test_the_tests_that_the_security_page_names_exist(path: str) -> None:
    tree = ast.parse((BASE_DIR / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    there = {node.name for node in ast.walk(tree) if isinstance(node, functions)}
    assert {name for file, name in NAMED if file == path} - there == set()


def test_every_promise_names_a_test() -> None:
    page = (BASE_DIR / "docs/security.md").read_text()
    promises = page.partition("## Strangers")[2].partition("## What remains")[0]
    rows = [row for row in promises.splitlines() if row.startswith("| ") and "| promise" not in row]
    assert len(rows) > 40
    assert [row for row in rows if "::test_" not in row] == []
