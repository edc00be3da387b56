"""The version of the product: in a checkout what pyproject.toml says, else the wheel's metadata."""

import tomllib
from functools import cache
from importlib import metadata

from config.home import BASE_DIR, is_checkout


@cache
def version() -> str:
    """As `0.2.0` (PEP 440)."""
    if not is_checkout():
        return metadata.version("roundtrip")
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])
