"""What differs between two texts, by words where that can be told in time, else by lines.

What takes too many steps even by lines counts as wholly different.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from limits.replay import MAX_COMPARED_WORDS, MAX_DIFFERENCE_STEPS
from tracing.diff.myers import common

# Words with the space behind them; each ideograph and each mark is one of its own.
_WORD = re.compile(r"\s+|[^\W\u2e80-\u9fff\uac00-\ud7af]+|.", re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """A stretch of one side's text; `changed`: the other side does not have it."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class Difference:
    """Both texts, whole, in pieces."""

    left: list[Piece]
    right: list[Piece]

    @property
    def is_none(self) -> bool:
        return not any(piece.changed for piece in (*self.left, *self.right))


def difference(left: str, right: str) -> Difference:
    """What of each text the other does not have."""
    for tokens in (_WORD.findall, _lines):
        parts = tokens(left), tokens(right)
        if len(parts[0]) + len(parts[1]) > MAX_COMPARED_WORDS:
            continue
        kept = common(*parts, max_steps=MAX_DIFFERENCE_STEPS)
        if kept is not None:
            return Difference(
                _pieces(parts[0], {at for at, _ in kept}),
                _pieces(parts[1], {at for _, at in kept}),
            )
    return Difference(_whole(left), _whole(right))


def unmarked(left: str, right: str) -> Difference:
    """Both texts as they are."""
    return Difference([Piece(left)] if left else [], [Piece(right)] if right else [])


def _pieces(tokens: Sequence[str], kept: set[int]) -> list[Piece]:
    pieces: list[Piece] = []
    text: list[str] = []
    for at, token in enumerate(tokens):
        if text and (at in kept) != (at - 1 in kept):
            pieces.append(Piece("".join(text), at - 1 not in kept))
            text = []
        text.append(token)
    if text:
        pieces.append(Piece("".join(text), len(tokens) - 1 not in kept))
    return pieces


def _whole(text: str) -> list[Piece]:
    return [Piece(text, changed=True)] if text else []


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
