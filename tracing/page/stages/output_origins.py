"""Origins: which range of a response became which part of the output.

The dialect records the ranges with the output. Here the texts of the response are cut at them, so
that a page can mark them. Ranges of the same part of the output have the same number, in the order
of the response.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from tracing.formatting.text import visible
from wire.response_parts import ResponsePart

# The place of a problem in the sentence about it, in rows without `error_places`.
_PLACE = re.compile(r"\bat character (\d{1,9})\b")


@dataclass(frozen=True)
class ProblemPlace:
    """Where the error of this number (from 1) begins: a character of the value at `path`, or, if
    that is empty, of any text."""

    number: int
    start: int
    path: str = ""


@dataclass(frozen=True)
class Origin:
    """`start` and `end` are characters of the value at `path`; None for the whole value."""

    path: str
    became: str
    start: int | None = None
    end: int | None = None
    call_id: str = ""

    @property
    def target(self) -> str:
        """The part of the output: `content`, `reasoning`, or the id of a call."""
        return f"call {self.call_id}" if self.became == "tool_call" else self.became


@dataclass(frozen=True)
class OriginText:
    """A slice of the response's text; number 0 if it became no part of the output (a tag, or
    space).

    `first`: the first slice with its number. `problem`: number of the error about malformed text
    here; `fails`: the first slice with that error.
    """

    text: str
    number: int = 0
    became: str = ""
    first: bool = False
    problem: int = 0
    fails: bool = False


@dataclass(frozen=True)
class Marks:
    """Origins and errors of an output, and the numbers of its parts by target."""

    origins: list[Origin] = field(default_factory=list)
    problems: list[ProblemPlace] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, target: str) -> int:
        """0 if the origin of the part is unknown."""
        return self.numbers.get(target, 0)

    def origin_texts(self, part: ResponsePart, max_length: int) -> list[OriginText]:
        """The text of a part of the response, cut at its origins; at most `max_length`
        characters."""
        ranges = sorted(_within(part, self.origins), key=lambda item: item[:2])
        pieces = list(_pieces(part.text[:max_length], ranges))
        if part.kind != "call":
            places = {one.start: one.number for one in self.problems if one.path in ("", part.path)}
            pieces = list(_with_problems(pieces, places))
        return list(self._numbered(pieces))

    def _numbered(self, pieces: "list[_OriginPiece]") -> Iterator[OriginText]:
        seen, failed = {0}, {0}
        for piece in pieces:
            origin = None if piece.text.isspace() else piece.origin
            number = self.number(origin.target) if origin else 0
            yield OriginText(
                text=visible(piece.text),
                number=number,
                became=origin.became if origin else "",
                first=number not in seen,
                problem=piece.problem,
                fails=piece.problem not in failed,
            )
            seen.add(number)
            failed.add(piece.problem)


@dataclass(frozen=True)
class _OriginPiece:
    at: int
    text: str
    origin: Origin | None = None
    problem: int = 0


def read_marks(output: Any, parts: Iterable[ResponsePart]) -> Marks:
    """The origins in an `output` stage; malformed ones are left out.

    No marks if all text became the content.
    """
    value = output if isinstance(output, dict) else {}
    origins = list(_origins(value.get("origins")))
    errors = [error for error in _list(value.get("errors")) if isinstance(error, str)]
    recorded_places = _list(value.get("error_places"))
    problems = list(
        _problem_places(recorded_places) if recorded_places else _places_in_sentences(errors)
    )
    numbers: dict[str, int] = {}
    for part in parts:
        for _, _, origin in sorted(_within(part, origins), key=lambda item: item[:2]):
            numbers.setdefault(origin.target, len(numbers) + 1)
    if set(numbers) <= {"content"} and not errors:
        return Marks()
    return Marks(origins, problems, numbers)


def _origins(value: Any) -> Iterator[Origin]:
    for origin in _list(value):
        if isinstance(origin, dict) and isinstance(origin.get("path"), str):
            yield Origin(
                origin["path"],
                str(origin.get("became")),
                _whole_number(origin.get("start")),
                _whole_number(origin.get("end")),
                str(origin.get("call_id") or ""),
            )


def _problem_places(recorded_places: list[Any]) -> Iterator[ProblemPlace]:
    """Of `error_places`, which has an entry for each of the `errors`."""
    for number, place in enumerate(recorded_places, 1):
        start = _whole_number(place.get("start")) if isinstance(place, dict) else None
        if start is not None:
            yield ProblemPlace(number, start, str(place.get("path") or ""))


def _places_in_sentences(errors: Iterable[str]) -> Iterator[ProblemPlace]:
    """For outputs that were stored before `error_places` was: the sentences name the places."""
    for number, error in enumerate(errors, 1):
        if place := _PLACE.search(error):
            yield ProblemPlace(number, int(place[1]))


def _within(part: ResponsePart, origins: Iterable[Origin]) -> Iterator[tuple[int, int, Origin]]:
    """The origins within this part: those of its path or of a path below it."""
    for origin in origins:
        if origin.path == part.path or origin.path.startswith(f"{part.path}."):
            start, end = origin.start, origin.end
            yield start or 0, len(part.text) if end is None else end, origin


def _pieces(text: str, ranges: list[tuple[int, int, Origin]]) -> Iterator[_OriginPiece]:
    """The whole text, cut at the ranges; a range that overlaps an earlier one is ignored."""
    at = 0
    for start, end, origin in ranges:
        if start < at or end < start or start > len(text):
            continue
        if at < start:
            yield _OriginPiece(at, text[at:start])
        yield _OriginPiece(start, text[start:end], origin)
        at = end
    if at < len(text) or not (text or ranges):
        yield _OriginPiece(at, text[at:])


def _with_problems(pieces: list[_OriginPiece], places: dict[int, int]) -> Iterator[_OriginPiece]:
    """Marks what is malformed: from where an error begins up to what was understood again.
    `places`: the number of each error, by its first character.

    A malformed block is a tag that became nothing, its inner text that became content, and perhaps
    another tag.
    """
    problem, has_text = 0, False
    for piece in _cut(pieces, places):
        if piece.at in places:
            problem, has_text = places[piece.at], False
        elif piece.origin and (has_text or piece.origin.became != "content"):
            problem = 0
        yield replace(piece, problem=problem)
        has_text = has_text or piece.origin is not None
        if not piece.origin and (has_text or "</" in piece.text):
            problem = 0


def _cut(pieces: list[_OriginPiece], places: Iterable[int]) -> Iterator[_OriginPiece]:
    """The pieces, cut at the positions of errors."""
    positions = sorted(places)
    for piece in pieces:
        end = piece.at + len(piece.text)
        cuts = [place for place in positions if piece.at < place < end]
        for start, stop in pairwise([piece.at, *cuts, end]):
            yield _OriginPiece(start, piece.text[start - piece.at : stop - piece.at], piece.origin)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
