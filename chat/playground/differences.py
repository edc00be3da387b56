"""The difference of two texts: by words, or by lines where words take too many steps.

Texts that take too many steps even by lines count as wholly different.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from limits.replay import MAX_COMPARED_WORDS, MAX_DIFFERENCE_STEPS
from tracing.diff.myers import common

# Words and runs of space; each ideograph and each punctuation mark is a token of its own.
_WORD = re.compile(r"\s+|[^\W\u2e80-\u9fff\uac00-\ud7af]+|.", re.DOTALL)


@dataclass(frozen=True)
class DiffPiece:
    """A part of one side's text; `changed`: the other side does not have it."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class TextDifference:
    """Both texts, whole, in pieces."""

    left: list[DiffPiece]
    right: list[DiffPiece]

    @property
    def is_none(self) -> bool:
        return not any(piece.changed for piece in (*self.left, *self.right))


def difference(left: str, right: str) -> TextDifference:
    """Both texts, with the parts marked that the other does not have."""
    for tokens in (_WORD.findall, _lines):
        parts = tokens(left), tokens(right)
        if len(parts[0]) + len(parts[1]) > MAX_COMPARED_WORDS:
            continue
        same = common(*parts, max_steps=MAX_DIFFERENCE_STEPS)
        if same is not None:
            return TextDifference(
                _pieces(parts[0], {at for at, _ in same}),
                _pieces(parts[1], {at for _, at in same}),
            )
    return TextDifference(_whole(left), _whole(right))


def unmarked(left: str, right: str) -> TextDifference:
    """Both texts without marks."""
    return TextDifference([DiffPiece(left)] if left else [], [DiffPiece(right)] if right else [])


def _pieces(tokens: Sequence[str], same: set[int]) -> list[DiffPiece]:
    pieces: list[DiffPiece] = []
    text: list[str] = []
    for at, token in enumerate(tokens):
        if text and (at in same) != (at - 1 in same):
            pieces.append(DiffPiece("".join(text), at - 1 not in same))
            text = []
        text.append(token)
    if text:
        pieces.append(DiffPiece("".join(text), len(tokens) - 1 not in same))
    return pieces


def _whole(text: str) -> list[DiffPiece]:
    return [DiffPiece(text, changed=True)] if text else []


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
