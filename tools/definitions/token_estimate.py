"""How many tokens a text will be, before anybody has counted them: a guess by its characters."""

from collections.abc import Iterable
from typing import Any

from db.fields import dump_json

# Characters per token: of English text and code, and of scripts without spaces.
_NARROW = 4.0
_WIDE = 1.5


def guess(values: Iterable[Any]) -> int:
    """Estimated tokens of messages or tool definitions, from their JSON in a request."""
    return sum(map(of_text, map(dump_json, values)))


def of_text(text: str) -> int:
    narrow = len(text.encode("ascii", "ignore"))
    return round(narrow / _NARROW + (len(text) - narrow) / _WIDE)
