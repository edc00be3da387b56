"""Bounds of the texts and conversations that a span carries.

Receivers take 4 to 20 MB in a request, and show a few pages of a text. A long text is cut, with a
note; of a long conversation the beginning is left out, because the end is new in each round.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from limits.export import MAX_EXPORTED_MESSAGES, MAX_EXPORTED_TEXT

# Characters of messages that a span carries when its trace has used up its share.
MIN_EXPORTED_SPAN = 20_000

_LIMITS = ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT")
_Entry = TypeVar("_Entry")


def max_text() -> int:
    """Upper bound of a text's characters."""
    values = (os.environ.get(name, "").strip() for name in _LIMITS)
    return next((int(value) for value in values if value.isdecimal()), MAX_EXPORTED_TEXT)


def cut(text: str) -> str:
    """The text as the value of an attribute: valid UTF-8, cut at the upper bound."""
    text = text.encode(errors="replace").decode()
    end = max_text()
    if len(text) <= end:
        return text
    return f"{text[:end]}… [{len(text) - end:,} more characters]"


def cut_all(value: Any) -> Any:
    """A JSON value with each text in it cut."""
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, dict):
        return {cut(str(key)): cut_all(part) for key, part in value.items()}
    return [cut_all(part) for part in value] if isinstance(value, list) else value


def count_to_drop(entries: Sequence[_Entry], size: Callable[[_Entry], int], room: int) -> int:
    """How many entries at the beginning to leave out so that the rest fits. The last one stays."""
    count = 0
    for entry in reversed(entries):
        room -= size(entry)
        if count == MAX_EXPORTED_MESSAGES or (count and room < 0):
            break
        count += 1
    return len(entries) - count
