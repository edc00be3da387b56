"""What differs between two texts, by words where that can be told in time, else by lines.

Myers' O(ND) algorithm (Algorithmica 1, 1986), with a ceiling on its steps: what exceeds it even by
lines counts as wholly different.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_STEPS = 400_000
MOST_TOKENS = 60_000
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
        if len(parts[0]) + len(parts[1]) > MOST_TOKENS:
            continue
        kept = common(*parts)
        if kept is not None:
            return Difference(
                _pieces(parts[0], {at for at, _ in kept}),
                _pieces(parts[1], {at for _, at in kept}),
            )
    return Difference(_whole(left), _whole(right))


def unmarked(left: str, right: str) -> Difference:
    """Both texts as they are."""
    return Difference([Piece(left)] if left else [], [Piece(right)] if right else [])


def common(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]] | None:
    """The places of a longest common subsequence; None if that takes too many steps."""
    head = _same_head(left, right)
    rest = left[head:], right[head:]
    tail = _same_head(rest[0][::-1], rest[1][::-1])
    a, b = rest[0][: len(rest[0]) - tail], rest[1][: len(rest[1]) - tail]
    inner = _inner(a, b)
    if inner is None:
        return None
    ends = range(1, tail + 1)
    return [
        *((at, at) for at in range(head)),
        *((x + head, y + head) for x, y in inner),
        *((len(left) - at, len(right) - at) for at in reversed(ends)),
    ]


def _inner(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]] | None:
    """`trace` keeps, for each number of edits, how far each diagonal reached."""
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    steps = 0
    for edits in range(len(a) + len(b) + 1):
        trace.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]
            )
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y, steps = x + 1, y + 1, steps + 1
            reached[diagonal] = x
            steps += 1
            if x >= len(a) and y >= len(b):
                return _walk_back(trace, len(a), len(b))
        # Remembering costs as much as looking.
        steps += edits
        if steps > MOST_STEPS:
            return None
    return []


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        reached, diagonal = trace[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]
        )
        before = diagonal + 1 if down else diagonal - 1
        start_x = reached[before] if edits else 0
        start_y = start_x - before if edits else 0
        while x > start_x and y > start_y:
            x, y = x - 1, y - 1
            kept.append((x, y))
        x, y = start_x, start_y
    return kept[::-1]


def _same_head(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


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
