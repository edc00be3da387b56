"""The reader of a payload: a page loads the parts that are in sight, not the whole body."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from limits.traces import MAX_FIND
from tracing.errors import PayloadCorrupt
from tracing.models import Payload
from tracing.page.payload import parts, text_matches
from tracing.page.payload.parts import BROAD, NARROW, Part
from tracing.page.payload.text_matches import Match, Matches
from tracing.store.ranges import Body


@dataclass(frozen=True)
class ReaderOptions:
    """The part to show: number `part`, or that with the byte `at` or the first match of `find`.

    The bytes `between` are marked. `hex_width` is the number of bytes in a line of a hexdump.
    """

    part: int = 1
    at: int | None = None
    find: str = ""
    is_hex: bool = False
    between: tuple[int, int] | None = None
    hex_width: int = NARROW


@dataclass(frozen=True)
class Reader:
    """A payload and the part of it that the page shows first; `problem` says why there is none.

    `match` is the index in `matches` of the one that the page opens at.
    """

    payload: Payload
    parts: int = 1
    first_part: Part | None = None
    is_text: bool = True
    is_hex: bool = False
    hex_width: int = NARROW
    find: str = ""
    matches: Matches | None = None
    match: int = 0
    between: tuple[int, int] | None = None
    problem: str = ""

    @property
    def sha256(self) -> str:
        return bytes(self.payload.sha256).hex()

    @property
    def previous(self) -> int:
        return self.first_part.number - 1 if self.first_part else 0

    @property
    def next(self) -> int:
        return (
            self.first_part.number + 1
            if self.first_part and self.first_part.number < self.parts
            else 0
        )


def read_options(query: QueryDict) -> ReaderOptions:
    at, between = query.get("at", ""), byte_range(query.get("bytes", ""))
    first = between[0] if between else None
    return ReaderOptions(
        part=whole_number(query.get("part", "")) or 1,
        at=whole_number(at) if at else first,
        find=query.get("find", "")[:MAX_FIND],
        is_hex="hex" in query,
        between=between,
        hex_width=NARROW if query.get("width") == str(NARROW) else BROAD,
    )


def read(payload: Payload, options: ReaderOptions) -> Reader:
    """The reader at the part that the options name. Reads the whole body once to check its hash."""
    body = Body(payload)
    try:
        examined = body.examine()
        is_hex = options.is_hex or not examined.is_text
        matches = text_matches.find(body, options.find) if options.find else None
        number, match = _opening(body, options, matches, is_hex)
        return Reader(
            payload,
            parts=parts.count(body.size),
            first_part=parts.read_part(
                body, number, options.find, options.hex_width * is_hex, options.between
            ),
            is_text=examined.is_text,
            is_hex=is_hex,
            hex_width=options.hex_width,
            find=options.find,
            matches=matches,
            match=match,
            between=options.between,
        )
    except PayloadCorrupt as error:
        return Reader(payload, problem=error.reason)


def part_numbers(body: Body, matches: Sequence[Match], is_hex: bool) -> list[int]:
    """The part of each match."""
    if is_hex:
        return [match.start // parts.SIZE + 1 for match in matches]
    starts = parts.starts(body)
    return [bisect_right(starts, match.start) for match in matches]


def _opening(
    body: Body, options: ReaderOptions, matches: Matches | None, is_hex: bool
) -> tuple[int, int]:
    """The number of the first part, and the index of the match in it."""
    if options.at is not None:
        number = options.at // parts.SIZE + 1 if is_hex else parts.number_at(body, options.at)
        starts = [match.start for match in matches.matches] if matches else []
        return number, max(0, bisect_right(starts, options.at) - 1)
    if matches and matches.matches and options.part == 1:
        at = matches.matches[0].start
        return at // parts.SIZE + 1 if is_hex else parts.number_at(body, at), 0
    return options.part, 0


def byte_range(text: str) -> tuple[int, int] | None:
    """`120-135`: start and end (exclusive) of a range of bytes; None for anything else."""
    start, _, end = text.partition("-")
    bounds = whole_number(start), whole_number(end)
    return bounds if bounds[0] < bounds[1] else None


def whole_number(text: str) -> int:
    """0 for other texts and for numbers of 13 digits or more."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 13 else 0
