"""Strict JSON (RFC 8259): input is valid JSON, output can be encoded as UTF-8.

Python's `json` also accepts and writes NaN and Infinity, raises RecursionError for deep nesting,
and writes lone surrogates, which UTF-8 cannot encode. Here the first two are a ValueError, and lone
surrogates are escaped.
"""

import json
import math
import re
from typing import Any, NoReturn

_SURROGATE = re.compile("[\ud800-\udfff]")


def wire_json(value: Any) -> str:
    """Compact JSON text, as SDKs send it."""
    return _dump(value, (",", ":"))


def prompt_json(value: Any) -> str:
    """JSON text with Python's default separators, as models read it in prompts."""
    return _dump(value, (", ", ": "))


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError for anything that is not JSON."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(parse_json(text), dict)
    except ValueError:
        return False


def read_members(text: str) -> dict[str, tuple[Any, str]]:
    """The members of a JSON object: each value with its source text. Raises ValueError.

    Numbers are floats; the source text is exact.
    """
    try:
        if not isinstance(_EXACT_DECODER.decode(text), dict):
            raise ValueError("not an object")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    members: dict[str, tuple[Any, str]] = {}
    at = _skip(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = _EXACT_DECODER.raw_decode(text, at)
        start = _skip(text, at)
        value, end = _EXACT_DECODER.raw_decode(text, start)
        members[key] = (value, text[start:end])
        at = _skip(text, end)
    return members


def encodable(json_text: str) -> str:
    """The same JSON, lone surrogates escaped."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


def _dump(value: Any, separators: tuple[str, str]) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=separators, allow_nan=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return encodable(text)


def _skip(text: str, at: int) -> int:
    """The end of whitespace and punctuation at `at`, in valid JSON."""
    while text[at] in " \t\r\n,:":
        at += 1
    return at


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"a number that is too large: {text[:40]}")
    return number


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_refused)
# Integers of any length; Python refuses to convert those of more than 4300 digits.
_EXACT_DECODER = json.JSONDecoder(parse_int=float, parse_constant=_refused)
