"""Redacts a secret in a body whose events split it, such as one token each.

The texts at one place in all events (`choices[0].delta.content`) are joined; a secret in the joined
text is masked at each of its characters, one for one.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Any

from chat.llm.redaction import mask_of, redactable_secrets
from limits.models import MAX_REDACTED_CHARACTERS, MAX_REDACTED_TEXTS
from wire.sse import data_lines

Place = tuple[object, ...]
Span = tuple[int, int]
Edit = tuple[Span, str]


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)


class TooMany(Exception):
    """More texts or edits than the limits allow."""


class _Object(list[tuple[str, Any]]):
    """The pairs of a JSON object in their order, with duplicate keys."""


def redact_events(body: bytes, secrets: Sequence[str]) -> bytes:
    """An event stream or JSON document with secrets masked that are split or escaped in it; the
    same object if it has none. All of it is masked where the limits are exceeded."""
    text = body.decode(errors="surrogateescape")
    try:
        edits = sorted(_all(_edits(text, redactable_secrets(secrets)), MAX_REDACTED_CHARACTERS))
    except TooMany:
        return withheld(body)
    if not edits:
        return body
    parts, at = [], 0
    for (start, end), literal in edits:
        parts += [text[at:start], literal]
        at = end
    return "".join([*parts, text[at:]]).encode(errors="surrogateescape")


def withheld(body: bytes) -> bytes:
    """A mask of the body's length."""
    return mask_of(" " * len(body)).encode()[: len(body)]


def _all(items: Iterator[Edit], most: int) -> list[Edit]:
    """All items. Raises TooMany."""
    taken = list(islice(items, most + 1))
    if len(taken) > most:
        raise TooMany
    return taken


def _edits(text: str, secrets: Sequence[str]) -> Iterator[Edit]:
    """The replacements, by ranges of the text. Raises TooMany."""
    for literals in _texts(text).values():
        pieces = [_decoded(text[start:end]) for start, end in literals]
        joined = "".join(pieces)
        masked = _masked_characters(joined, list(accumulate(map(len, pieces))), secrets)
        for number, characters in masked.items():
            for at, span in enumerate(_characters(text, *literals[number])):
                if at in characters:
                    yield span, _encoded_like(text[slice(*span)], characters[at])


def _masked_characters(
    joined: str, ends: list[int], secrets: Sequence[str]
) -> dict[int, dict[int, str]]:
    """Masking characters, by number of the piece and of the character in it."""
    masked: dict[int, dict[int, str]] = {}
    count = 0
    for secret in secrets:
        for match in re.finditer(re.escape(secret), joined):
            count += len(secret)
            if count > MAX_REDACTED_CHARACTERS:
                raise TooMany
            for at, instead in enumerate(mask_of(secret), match.start()):
                number = bisect_right(ends, at)
                first = ends[number - 1] if number else 0
                masked.setdefault(number, {}).setdefault(at - first, instead)
    return masked


def _texts(text: str) -> dict[Place, list[Span]]:
    """The ranges of each text's string literals, without quotes, by place in the events. Raises
    TooMany."""
    texts: dict[Place, list[Span]] = {}
    count = 0
    for start, end in _documents(text):
        try:
            value = json.loads(text[start:end], object_pairs_hook=_Object)
        except (ValueError, RecursionError):
            continue
        strings = _STRING.finditer(text, start, end)
        for place, literal in zip(_places(value, ()), strings, strict=True):
            if place is not None:
                count += 1
                if count > MAX_REDACTED_TEXTS:
                    raise TooMany
                texts.setdefault(place, []).append((literal.start() + 1, literal.end() - 1))
    return texts


def _documents(text: str) -> Iterator[Span]:
    if text.lstrip().startswith("{"):
        yield 0, len(text)
        return
    yield from data_lines(text)


def _places(value: Any, place: Place) -> Iterator[Place | None]:
    """The place of each string of a value, in their order; None for a key."""
    match value:
        case str():
            yield place
        case _Object():
            index = next((item for key, item in value if key == "index"), None)
            for key, item in value:
                yield None
                yield from _places(item, (*place, index if type(index) is int else None, key))
        case list():
            for number, item in enumerate(value):
                yield from _places(item, (*place, number))


def _characters(text: str, start: int, end: int) -> Iterator[Span]:
    return (one.span() for one in _CHARACTER.finditer(text, start, end))


def _decoded(literal: str) -> str:
    """The characters of a literal; half of a surrogate pair counts as one."""
    if "\\" not in literal:
        return literal
    return "".join(map(_character, _CHARACTER.findall(literal)))


def _character(literal: str) -> str:
    if literal.startswith("\\u"):
        return chr(int(literal[2:], 16))
    return str(json.loads(f'"{literal}"')) if literal.startswith("\\") else literal


def _encoded_like(literal: str, instead: str) -> str:
    """A character in the form of the one that it replaces, with the same length."""
    return f"\\u{ord(instead):04x}" if literal.startswith("\\u") else instead
