"""A secret in a body whose events cut it into pieces, such as one token each.

The texts of all events that stand at the same place (`choices[0].delta.content`) are one text to
who reads them. A secret in it is replaced where its characters stand, by as many others.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from chat.llm.redaction import known, mask_of

Place = tuple[object, ...]
Span = tuple[int, int]

_LINE = re.compile("(?:^\ufeff?|[\r\n])data:([^\r\n]*)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)


class _Object(list[tuple[str, Any]]):
    """The pairs of a JSON object in their order, keys that come twice too."""


def redact_events(body: bytes, secrets: Sequence[str]) -> bytes:
    """An event stream or a JSON document without the secrets that its texts have, cut or escaped;
    the same object if there was none."""
    text = body.decode(errors="surrogateescape")
    edits = dict(_edits(text, known(secrets)))
    if not edits:
        return body
    parts, at = [], 0
    for (start, end), written in sorted(edits.items()):
        parts += [text[at:start], written]
        at = end
    return "".join([*parts, text[at:]]).encode(errors="surrogateescape")


def _edits(text: str, secrets: Sequence[str]) -> Iterator[tuple[Span, str]]:
    """What to write in the place of which characters."""
    for spans in _texts(text).values():
        characters = [_character(text[start:end]) for start, end in spans]
        joined = "".join(characters)
        for secret in secrets:
            for found in re.finditer(re.escape(secret), joined):
                for span, instead in zip(spans[slice(*found.span())], mask_of(secret), strict=True):
                    yield span, _written(text[slice(*span)], instead)


def _texts(text: str) -> dict[Place, list[Span]]:
    """Where each character stands of the texts, by their place in the events."""
    texts: dict[Place, list[Span]] = {}
    for start, end in _documents(text):
        try:
            value = json.loads(text[start:end], object_pairs_hook=_Object)
        except (ValueError, RecursionError):
            continue
        strings = _STRING.finditer(text, start, end)
        for place, literal in zip(_places(value, ()), strings, strict=True):
            if place is not None:
                inner = _CHARACTER.finditer(text, literal.start() + 1, literal.end() - 1)
                texts.setdefault(place, []).extend(one.span() for one in inner)
    return texts


def _documents(text: str) -> Iterator[Span]:
    if text.lstrip().startswith("{"):
        yield 0, len(text)
        return
    yield from (line.span(1) for line in _LINE.finditer(text))


def _places(value: Any, place: Place) -> Iterator[Place | None]:
    """The place of each text of a value in their order; None for a key."""
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


def _character(written: str) -> str:
    """What a character of a JSON text stands for; half of a surrogate pair is one."""
    if written.startswith("\\u"):
        return chr(int(written[2:], 16))
    return str(json.loads(f'"{written}"')) if written.startswith("\\") else written


def _written(written: str, instead: str) -> str:
    """A character in the form that another had, which is as long."""
    return f"\\u{ord(instead):04x}" if written.startswith("\\u") else instead
