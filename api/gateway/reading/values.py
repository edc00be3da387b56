"""Reading JSON of unknown shape."""

import json
from typing import Any

Object = dict[str, Any]


def object_of(body: bytes) -> Object | None:
    """The JSON object that a body is; None if it is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def objects(value: object) -> list[Object]:
    """The objects of a list; empty if it is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
