"""How much of a text and of a conversation one span carries.

Receivers take 4 to 20 MB in a request, and show a few pages of a text. A text is cut and says so;
of a conversation the beginning goes, because the end is what is new in a round.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from limits.export import MAX_EXPORTED_MESSAGES, MAX_EXPORTED_TEXT

LEAST = 20_000  # the same, when the trace has had its share

_LIMITS = ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT")
_Entry = TypeVar("_Entry")


def longest() -> int:
    """Characters of a text."""
    said = (os.environ.get(name, "").strip() for name in _LIMITS)
    return next((int(text) for text in said if text.isdecimal()), MAX_EXPORTED_TEXT)


def cut(text: str) -> str:
    """The text as an attribute may carry it: UTF-8, and not too long."""
    text = text.encode(errors="replace").decode()
    most = longest()
    if len(text) <= most:
        return text
    return f"{text[:most]}… [{len(text) - most:,} more characters]"


def cut_all(value: Any) -> Any:
    """A JSON value with each text in it cut."""
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, dict):
        return {cut(str(key)): cut_all(part) for key, part in value.items()}
    return [cut_all(part) for part in value] if isinstance(value, list) else value


def newest(entries: Sequence[_Entry], size: Callable[[_Entry], int], room: int) -> int:
    """How many entries at the beginning have to go so that the rest fits. The last one stays."""
    kept = 0
    for entry in reversed(entries):
        room -= size(entry)
        if kept == MAX_EXPORTED_MESSAGES or (kept and room < 0):
            break
        kept += 1
    return len(entries) - kept
