"""A secret in a body whose events cut it into pieces, such as one token each.

The texts of all events that stand at the same place (`choices[0].delta.content`) are one text to
who reads them. A secret in it is replaced where its characters stand, by as many others.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Any

from chat.llm.redaction import known, mask_of
from limits.models import MAX_REDACTED_CHARACTERS, MAX_REDACTED_TEXTS
from wire.sse import data_lines

Place = tuple[object, ...]
Span = tuple[int, int]
Edit = tuple[Span, str]


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)


class TooMany(Exception):
    """More than can be gone through."""


class _Object(list[tuple[str, Any]]):
    """The pairs of a JSON object in their order, keys that come twice too."""


def redact_events(body: bytes, secrets: Sequence[str]) -> bytes:
    """An event stream or a JSON document without the secrets that its texts have, cut or escaped;
    the same object if there was none. All of it is masked if that would take too much memory."""
    text = body.decode(errors="surrogateescape")
    try:
        edits = sorted(_all(_edits(text, known(secrets)), MAX_REDACTED_CHARACTERS))
    except TooMany:
        return withheld(body)
    if not edits:
        return body
    parts, at = [], 0
    for (start, end), written in edits:
        parts += [text[at:start], written]
        at = end
    return "".join([*parts, text[at:]]).encode(errors="surrogateescape")


def withheld(body: bytes) -> bytes:
    """A mask in the place of the whole body."""
    return mask_of(" " * len(body)).encode()[: len(body)]


def _all(items: Iterator[Edit], most: int) -> list[Edit]:
    """All of them. Raises TooMany."""
    taken = list(islice(items, most + 1))
    if len(taken) > most:
        raise TooMany
    return taken


def _edits(text: str, secrets: Sequence[str]) -> Iterator[Edit]:
    """What to write in the place of which characters. Raises TooMany."""
    for literals in _texts(text).values():
        pieces = [_decoded(text[start:end]) for start, end in literals]
        joined = "".join(pieces)
        wanted = _wanted(joined, list(accumulate(map(len, pieces))), secrets)
        for number, characters in wanted.items():
            for at, span in enumerate(_characters(text, *literals[number])):
                if at in characters:
                    yield span, _written(text[slice(*span)], characters[at])


def _wanted(joined: str, ends: list[int], secrets: Sequence[str]) -> dict[int, dict[int, str]]:
    """What to write, by the number of the piece and of the character in it."""
    wanted: dict[int, dict[int, str]] = {}
    count = 0
    for secret in secrets:
        for found in re.finditer(re.escape(secret), joined):
            count += len(secret)
            if count > MAX_REDACTED_CHARACTERS:
                raise TooMany
            for at, instead in enumerate(mask_of(secret), found.start()):
                number = bisect_right(ends, at)
                first = ends[number - 1] if number else 0
                wanted.setdefault(number, {}).setdefault(at - first, instead)
    return wanted


def _texts(text: str) -> dict[Place, list[Span]]:
    """Where the literals of each text stand, without their quotes, by their place in the events.
    Raises TooMany."""
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


def _characters(text: str, start: int, end: int) -> Iterator[Span]:
    return (one.span() for one in _CHARACTER.finditer(text, start, end))


def _decoded(written: str) -> str:
    """A literal's characters, each as one; half of a surrogate pair is one."""
    if "\\" not in written:
        return written
    return "".join(map(_character, _CHARACTER.findall(written)))


def _character(written: str) -> str:
    if written.startswith("\\u"):
        return chr(int(written[2:], 16))
    return str(json.loads(f'"{written}"')) if written.startswith("\\") else written


def _written(written: str, instead: str) -> str:
    """A character in the form that another had, which is as long."""
    return f"\\u{ord(instead):04x}" if written.startswith("\\u") else instead
