"""What is shown of an answer while it arrives, and what remembers where its text came from."""

from collections.abc import Iterator
from typing import NamedTuple

from chat.llm.dialects.contract import Origin, Part, TextDelta


class Piece(NamedTuple):
    """Text that stood at character `at` of the value at `path`; without a path it is ours."""

    path: str
    at: int
    text: str


_NEW_LINE = Piece("", 0, "\n")


class Shown:
    """The two parts of an answer: `content` and `reasoning`."""

    def __init__(self) -> None:
        self._pieces: dict[Part, list[Piece]] = {"content": [], "reasoning": []}
        self._fresh: list[TextDelta] = []
        self._reasons_anew = False

    def add(self, part: Part, pieces: list[Piece]) -> None:
        if part == "reasoning" and pieces and self._reasons_anew:
            self._reasons_anew = False
            pieces = [_NEW_LINE, *pieces] if self._pieces[part] else pieces
        self._pieces[part] += pieces
        self._fresh += [TextDelta(part, piece.text) for piece in pieces]

    def reason_anew(self) -> None:
        """What is reasoning from here on stands in another place: it gets a line of its own."""
        self._reasons_anew = True

    def withdraw_content(self) -> list[Piece]:
        """Takes back all content; gives what it was."""
        withdrawn, self._pieces["content"] = self._pieces["content"], []
        if withdrawn:
            self._fresh.append(TextDelta("content", "", restart=True))
        return withdrawn

    def take(self) -> list[TextDelta]:
        """What is new since this was asked for the last time."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def text(self, part: Part) -> str:
        return "".join(piece.text for piece in self._pieces[part])

    def origins(self) -> list[Origin]:
        """The ranges of both parts, each as long as it can be."""
        return [
            Origin(path, part, start, end)
            for part, pieces in self._pieces.items()
            for path, start, end in _ranges(pieces)
        ]


def _ranges(pieces: list[Piece]) -> Iterator[tuple[str, int, int]]:
    path, start, end = "", 0, 0
    for piece in pieces:
        if (piece.path, piece.at) != (path, end):
            if path:
                yield path, start, end
            path, start = piece.path, piece.at
        end = piece.at + len(piece.text)
    if path:
        yield path, start, end


class Trim:
    """Holds back whitespace until it is clear that it is not at the start, or not at the end.

    At the end it is given up only if `end` is set: otherwise whitespace is shown as it comes, once
    there was something else.
    """

    def __init__(self, *, start: bool, end: bool) -> None:
        self._start = start
        self._end = end
        self._begun = False
        self._held: list[Piece] = []

    def add(self, piece: Piece) -> list[Piece]:
        """The pieces that can be shown now."""
        text = piece.text
        if not self._begun:
            indent = len(text) - len(text.lstrip())
            self._begun = indent < len(text)
            if self._begun and self._start:
                self._held = []
                piece = Piece(piece.path, piece.at + indent, text[indent:])
        length = len(piece.text.rstrip()) if self._end or not self._begun else len(piece.text)
        return self._split(piece, length)

    def rest(self) -> list[Piece]:
        """At the end: whitespace that is all there was, if it may be shown."""
        return [] if self._start or self._end else self._held

    def _split(self, piece: Piece, length: int) -> list[Piece]:
        """Holds what is behind `length`; gives what was held, and what is before."""
        if not length:
            self._held.append(piece)
            return []
        if length == len(piece.text) and not self._held:
            return [piece]
        ready = [*self._held, piece._replace(text=piece.text[:length])]
        tail = piece._replace(at=piece.at + length, text=piece.text[length:])
        self._held = [tail] if tail.text else []
        return ready
