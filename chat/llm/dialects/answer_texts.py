"""The texts of an answer while it arrives, with the places they come from."""

from collections.abc import Sequence
from typing import NamedTuple

from chat.llm.dialects.contract import Origin, Part, TextDelta


class SourceText(NamedTuple):
    """Text from character `at` of the value at `path`; with an empty path it is the product's
    own."""

    path: str
    at: int
    text: str


_NEW_LINE = SourceText("", 0, "\n")


class _Run:
    """Adjacent pieces of one value."""

    __slots__ = ("at", "end", "path", "texts")

    def __init__(self, piece: SourceText) -> None:
        self.path, self.at, _ = piece
        self.end = self.at
        self.texts: list[str] = []

    def source(self) -> SourceText:
        return SourceText(self.path, self.at, "".join(self.texts))


class AnswerTexts:
    """The texts of an answer's two parts, `content` and `reasoning`, and the deltas to show."""

    def __init__(self) -> None:
        self._runs: dict[Part, list[_Run]] = {"content": [], "reasoning": []}
        self._deltas: list[TextDelta] = []
        self._has_new_reasoning = False

    def add(self, part: Part, pieces: Sequence[SourceText]) -> None:
        if part == "reasoning" and pieces and self._has_new_reasoning:
            self._has_new_reasoning = False
            pieces = [_NEW_LINE, *pieces] if self._runs[part] else pieces
        for piece in pieces:
            self._append(part, piece)

    def begin_reasoning(self) -> None:
        """Reasoning that follows comes from another place: it begins on a new line."""
        self._has_new_reasoning = True

    def withdraw_content(self) -> list[SourceText]:
        """Removes all content; returns it."""
        withdrawn, self._runs["content"] = self._runs["content"], []
        if withdrawn:
            self._deltas.append(TextDelta("content", "", restart=True))
        return [run.source() for run in withdrawn]

    def take(self) -> list[TextDelta]:
        """The deltas since the last call."""
        deltas, self._deltas = self._deltas, []
        return deltas

    def text(self, part: Part) -> str:
        return "".join(text for run in self._runs[part] for text in run.texts)

    def origins(self) -> list[Origin]:
        """The origins of both parts; adjacent ranges are merged."""
        return [
            Origin(run.path, part, run.at, run.end)
            for part, runs in self._runs.items()
            for run in runs
            if run.path
        ]

    def _append(self, part: Part, piece: SourceText) -> None:
        path, at, text = piece
        runs = self._runs[part]
        if not runs or runs[-1].end != at or runs[-1].path != path:
            runs.append(_Run(piece))
        runs[-1].texts.append(text)
        runs[-1].end += len(text)
        self._deltas.append(TextDelta(part, text))


class WhitespaceTrim:
    """Strips whitespace at the start (`start`) and at the end (`end`) of a text that arrives in
    pieces: it is held back until other text follows."""

    def __init__(self, *, start: bool, end: bool) -> None:
        self._start = start
        self._end = end
        self._begun = False
        self._held: list[SourceText] = []

    def add(self, piece: SourceText) -> list[SourceText]:
        """The pieces that can be shown now."""
        if self._begun and not self._end and not self._held:
            return [piece]
        text = piece.text
        if not self._begun:
            indent = len(text) - len(text.lstrip())
            self._begun = indent < len(text)
            if self._begun and self._start:
                self._held = []
                piece = SourceText(piece.path, piece.at + indent, text[indent:])
        length = len(piece.text.rstrip()) if self._end or not self._begun else len(piece.text)
        return self._split(piece, length)

    def rest(self) -> list[SourceText]:
        """To be called at the end: the whitespace that is held back, if nothing is stripped."""
        return [] if self._start or self._end else self._held

    def _split(self, piece: SourceText, length: int) -> list[SourceText]:
        """Returns what is held and the piece up to `length`; holds the rest."""
        if not length:
            self._held.append(piece)
            return []
        if length == len(piece.text) and not self._held:
            return [piece]
        ready = [*self._held, piece._replace(text=piece.text[:length])]
        tail = piece._replace(at=piece.at + length, text=piece.text[length:])
        self._held = [tail] if tail.text else []
        return ready
