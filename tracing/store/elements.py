"""Cuts a JSON body at the elements of its lists.

Each request of a conversation repeats the messages of the request before it. Cut at the elements,
equal messages are equal bytes, and are stored once.
"""

import json
import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

# Lists of a request that are cut at their elements (Chat Completions, Anthropic Messages, OpenAI
# Responses, Chat Completions before tools). Manifests hold positions in this tuple: only ever
# append.
SECTIONS = ("messages", "tools", "system", "input", "functions")
# Of these, the lists to whose end a conversation appends.
GROWING = frozenset({"messages", "input"})
# Bytes. A shorter value, or shorter text between elements, costs less in the manifest than as a
# blob.
_MIN_ELEMENT = 64

_object = re.compile(rb"[ \t\n\r]*\{")
_whitespace = re.compile(r"[ \t\n\r]*")
# Only offsets are needed, so numbers are not converted: they may have any length.
_decoder = json.JSONDecoder(strict=False, parse_int=len, parse_float=len)


class Element(NamedTuple):
    """An element of a list in `section`, or, with an empty section, a long text beside them."""

    content: bytes
    section: str


class Cut(NamedTuple):
    """A body as gaps around elements: gap, element, gap, element, …, gap."""

    gaps: list[bytes]
    elements: list[Element]


class _Range(NamedTuple):
    """Where an element stands in the text, in characters."""

    start: int
    end: int
    section: str


def cut(body: bytes) -> Cut:
    """Cuts at the elements of `SECTIONS` and at long values beside them.

    Gaps and elements joined in order are `body`, byte for byte. A body that is no JSON object in
    UTF-8 is one element, a short one is one gap.
    """
    if len(body) <= _MIN_ELEMENT:
        return Cut([body], [])
    whole = Cut([b"", b""], [Element(body, "")])
    if not _object.match(body):
        return whole
    try:
        text = body.decode()
        return _slice(text, list(_ranges(text)))
    except (ValueError, RecursionError):
        return whole


def cut_rest(rest: bytes, section: str) -> Cut:
    """Cuts what follows an element of the list `section` of a body, as `cut` cuts the whole body.

    Raises ValueError or RecursionError if it is not the rest of a JSON object in UTF-8.
    """
    text = rest.decode()
    return _slice(text, list(_rest_ranges(text, section)))


def _slice(text: str, ranges: list[_Range]) -> Cut:
    gaps: list[bytes] = []
    elements: list[Element] = []
    at = 0
    for start, end, section in ranges:
        _add_gap(gaps, elements, text[at:start].encode())
        elements.append(Element(text[start:end].encode(), section))
        at = end
    _add_gap(gaps, elements, text[at:].encode())
    return Cut(gaps, elements)


def _add_gap(gaps: list[bytes], elements: list[Element], gap: bytes) -> None:
    if len(gap) > _MIN_ELEMENT:
        gaps.append(b"")
        elements.append(Element(gap, ""))
        gap = b""
    gaps.append(gap)


def _ranges(text: str) -> Iterator[_Range]:
    """The elements of a JSON object in order. Raises ValueError if the text is none."""
    yield from _member_ranges(text, _expect(text, "{", _skip(text, 0)), "")


def _rest_ranges(text: str, section: str) -> Iterator[_Range]:
    """The same of what follows an element of the list `section`."""
    at = yield from _element_ranges(text, 0, section, ",")
    yield from _member_ranges(text, at, ",")


def _member_ranges(text: str, at: int, separator: str) -> Iterator[_Range]:
    """The elements of an object from the member at `at` on, which begins with the separator."""
    at = _skip(text, at)
    while not text.startswith("}", at):
        at = _skip(text, _expect(text, separator, at))
        key, at = _decoder.raw_decode(text, at)
        at = _skip(text, _expect(text, ":", _skip(text, at)))
        if key in SECTIONS and text.startswith("[", at):
            at = yield from _element_ranges(text, at + 1, key, "")
        else:
            start = at
            at = _decoder.raw_decode(text, at)[1]
            if at - start > _MIN_ELEMENT:
                yield _Range(start, at, "")
        at, separator = _skip(text, at), ","
    if _skip(text, at + 1) != len(text):
        raise ValueError("something follows the object")


def _element_ranges(
    text: str, at: int, section: str, separator: str
) -> Generator[_Range, None, int]:
    """Yields the elements of a list from the one at `at` on, which begins with the separator, and
    returns where the list ends."""
    at = _skip(text, at)
    while not text.startswith("]", at):
        start = _skip(text, _expect(text, separator, at))
        end = _decoder.raw_decode(text, start)[1]
        # A list of numbers (tokens to embed) is left whole.
        if text[start] == "{" or end - start > _MIN_ELEMENT:
            yield _Range(start, end, section)
        at, separator = _skip(text, end), ","
    return at + 1


def _skip(text: str, at: int) -> int:
    match = _whitespace.match(text, at)
    return match.end() if match else at


def _expect(text: str, token: str, at: int) -> int:
    if not text.startswith(token, at):
        raise ValueError(f"no {token} at {at}")
    return at + len(token)
