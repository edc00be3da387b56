"""The modules of the product, for tests that read their source."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPS = ("config", "api", "chat", "tools", "tracing", "tokens", "audit", "db", "wire", "jobs")


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Each by its path below the repository."""
    found = []
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            path = file.relative_to(ROOT)
            if not {"tests", "migrations"} & set(path.parts):
                found.append((str(path), ast.parse(file.read_bytes())))
    return found
