"""Cutting a JSON body where it repeats what an earlier one had.

Each request of a conversation has the messages of the one before and a few more. Cut at the
elements of its lists, the same messages are the same bytes, and are kept once.
"""

import json
import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

# Lists of a request that are cut at their elements (Chat Completions, Anthropic Messages, OpenAI
# Responses, Chat Completions before tools). Manifests hold positions in this tuple: only ever
# append.
SECTIONS = ("messages", "tools", "system", "input", "functions")
# Shorter values, and shorter text between elements, cost less in the manifest than as a blob.
_WORTH = 64

_object = re.compile(rb"[ \t\n\r]*\{")
_whitespace = re.compile(r"[ \t\n\r]*")
# Only offsets are wanted: numbers stay text, which also takes those of any length.
_decoder = json.JSONDecoder(strict=False, parse_int=len, parse_float=len)


class Piece(NamedTuple):
    """An element, or a long text between elements (then `section` is empty)."""

    content: bytes
    section: str


class Cut(NamedTuple):
    """A body as gaps around pieces: gap, piece, gap, piece, …, gap."""

    gaps: list[bytes]
    pieces: list[Piece]


class _Range(NamedTuple):
    start: int
    end: int
    section: str


def cut(body: bytes) -> Cut:
    """Cuts at the elements of `SECTIONS` and at long values beside them.

    Joined in order, gaps and pieces are `body` again, byte for byte. What is no JSON object in
    UTF-8 is one piece, what is short one gap.
    """
    if len(body) <= _WORTH:
        return Cut([body], [])
    whole = Cut([b"", b""], [Piece(body, "")])
    if not _object.match(body):
        return whole
    try:
        text = body.decode()
        return _slice(text, list(_ranges(text)))
    except (ValueError, RecursionError):
        return whole


def _slice(text: str, ranges: list[_Range]) -> Cut:
    gaps: list[bytes] = []
    pieces: list[Piece] = []
    at = 0
    for start, end, section in ranges:
        _add_gap(gaps, pieces, text[at:start].encode())
        pieces.append(Piece(text[start:end].encode(), section))
        at = end
    _add_gap(gaps, pieces, text[at:].encode())
    return Cut(gaps, pieces)


def _add_gap(gaps: list[bytes], pieces: list[Piece], gap: bytes) -> None:
    if len(gap) > _WORTH:
        gaps.append(b"")
        pieces.append(Piece(gap, ""))
        gap = b""
    gaps.append(gap)


def _ranges(text: str) -> Iterator[_Range]:
    """Where the pieces of a JSON object stand. Raises ValueError if that is not what it is."""
    at = _skip(text, _expect(text, "{", _skip(text, 0)))
    separator = ""
    while not text.startswith("}", at):
        at = _skip(text, _expect(text, separator, at))
        key, at = _decoder.raw_decode(text, at)
        at = _skip(text, _expect(text, ":", _skip(text, at)))
        if key in SECTIONS and text.startswith("[", at):
            at = yield from _list_ranges(text, at, key)
        else:
            start = at
            at = _decoder.raw_decode(text, at)[1]
            if at - start > _WORTH:
                yield _Range(start, at, "")
        at, separator = _skip(text, at), ","
    if _skip(text, at + 1) != len(text):
        raise ValueError("something follows the object")


def _list_ranges(text: str, at: int, section: str) -> Generator[_Range, None, int]:
    """Yields the elements of the list at `at` and returns where it ends."""
    at = _skip(text, at + 1)
    separator = ""
    while not text.startswith("]", at):
        start = _skip(text, _expect(text, separator, at))
        end = _decoder.raw_decode(text, start)[1]
        # A list of numbers (tokens to embed) is left whole.
        if text[start] == "{" or end - start > _WORTH:
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
