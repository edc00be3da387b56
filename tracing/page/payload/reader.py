"""A payload as one reads it: its parts, of which a page holds the few that are in sight."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from limits.traces import MAX_FIND
from tracing.errors import PayloadCorrupt
from tracing.models import Payload
from tracing.page.payload import parts, text_matches
from tracing.page.payload.parts import BROAD, NARROW, Part
from tracing.page.payload.text_matches import Found, Match
from tracing.store.ranges import Body


@dataclass(frozen=True)
class Wanted:
    """Which part, or the one with the byte `at`, or the one with the first match of `find`; the
    bytes `between` are marked. `hex_width` is how many bytes a line of a hexdump has."""

    part: int = 1
    at: int | None = None
    find: str = ""
    is_hex: bool = False
    between: tuple[int, int] | None = None
    hex_width: int = NARROW


@dataclass(frozen=True)
class Reader:
    """`shown` is the part that the page has at first; `problem` says why there is none.

    `match` is the place of the match in `found` that the page opens at, from 0.
    """

    payload: Payload
    parts: int = 1
    shown: Part | None = None
    is_text: bool = True
    is_hex: bool = False
    hex_width: int = NARROW
    find: str = ""
    found: Found | None = None
    match: int = 0
    between: tuple[int, int] | None = None
    problem: str = ""

    @property
    def sha256(self) -> str:
        return bytes(self.payload.sha256).hex()

    @property
    def previous(self) -> int:
        return self.shown.number - 1 if self.shown else 0

    @property
    def next(self) -> int:
        return self.shown.number + 1 if self.shown and self.shown.number < self.parts else 0


def wanted(query: QueryDict) -> Wanted:
    at, between = query.get("at", ""), byte_range(query.get("bytes", ""))
    first = between[0] if between else None
    return Wanted(
        part=whole_number(query.get("part", "")) or 1,
        at=whole_number(at) if at else first,
        find=query.get("find", "")[:MAX_FIND],
        is_hex="hex" in query,
        between=between,
        hex_width=NARROW if query.get("width") == str(NARROW) else BROAD,
    )


def read(payload: Payload, wanted: Wanted) -> Reader:
    """What the page shows at first. All of the body is read once, to know that it is intact."""
    body = Body(payload)
    try:
        examined = body.examine()
        is_hex = wanted.is_hex or not examined.is_text
        matches = text_matches.find(body, wanted.find) if wanted.find else None
        number, match = _opening(body, wanted, matches, is_hex)
        return Reader(
            payload,
            parts=parts.count(body.size),
            shown=parts.read_part(
                body, number, wanted.find, wanted.hex_width * is_hex, wanted.between
            ),
            is_text=examined.is_text,
            is_hex=is_hex,
            hex_width=wanted.hex_width,
            find=wanted.find,
            found=matches,
            match=match,
            between=wanted.between,
        )
    except PayloadCorrupt as error:
        return Reader(payload, problem=error.reason)


def part_numbers(body: Body, matches: Sequence[Match], is_hex: bool) -> list[int]:
    """The part of each match."""
    if is_hex:
        return [match.start // parts.SIZE + 1 for match in matches]
    starts = parts.starts(body)
    return [bisect_right(starts, match.start) for match in matches]


def _opening(body: Body, wanted: Wanted, matches: Found | None, is_hex: bool) -> tuple[int, int]:
    """The part to begin with, and which match that is."""
    if wanted.at is not None:
        number = wanted.at // parts.SIZE + 1 if is_hex else parts.number_at(body, wanted.at)
        starts = [match.start for match in matches.matches] if matches else []
        return number, max(0, bisect_right(starts, wanted.at) - 1)
    if matches and matches.matches and wanted.part == 1:
        at = matches.matches[0].start
        return at // parts.SIZE + 1 if is_hex else parts.number_at(body, at), 0
    return wanted.part, 0


def byte_range(text: str) -> tuple[int, int] | None:
    """`120-135`: from a byte up to the one before another; None for anything else."""
    start, _, end = text.partition("-")
    bounds = whole_number(start), whole_number(end)
    return bounds if bounds[0] < bounds[1] else None


def whole_number(text: str) -> int:
    """0 for anything that is none, or that no body has."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 13 else 0
