"""Versions of the product, compared."""

import tomllib

from config.home import BASE_DIR


def current() -> str:
    """As `0.2.0` (PEP 440)."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def is_newer(version: str) -> bool:
    """Whether this release is newer than ours; what follows its numbers is not compared."""
    return _numbers(version) > _numbers(current())


def _numbers(version: str) -> list[int]:
    numbers = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return numbers
