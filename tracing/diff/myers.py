"""The shortest edit script of two sequences (Myers, "An O(ND) difference algorithm", 1986).

Time and memory grow with the square of the number of differences, not with the length: long
sequences that differ little are compared quickly, and a comparison with too many differences ends
early.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple


class Hunk(NamedTuple):
    """`before[old:old_end]` became `after[new:new_end]`; `same`: the two are equal."""

    same: bool
    old: int
    old_end: int
    new: int
    new_end: int


Pair = tuple[int, int]


def hunks(
    before: Sequence[Hashable], after: Sequence[Hashable], max_differences: int
) -> list[Hunk]:
    """Both sequences from beginning to end, as equal and changed hunks in turn.

    With more than `max_differences` all between the equal ends is one changed hunk.
    """
    pairs = common(before, after, max_differences=max_differences)
    if pairs is None:
        head, tail = _ends(before, after)
        pairs = _with_ends([], head, tail, len(before), len(after))
    return list(_group(pairs, len(before), len(after)))


def common(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    *,
    max_differences: int | None = None,
    max_steps: float = math.inf,
) -> list[Pair] | None:
    """The pairs of indices of a longest common subsequence, in order; None if there are more
    differences, or if it takes more steps: comparisons, and diagonals visited or copied."""
    head, tail = _ends(before, after)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    inner = _pairs(old, new, max_differences, max_steps) if old and new else []
    if inner is None:
        return None
    return _with_ends(inner, head, tail, len(before), len(after))


def _ends(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pair:
    """The lengths of the common prefix, and of the common suffix of the rest."""
    head = _equal(before, after)
    return head, _equal(before[head:][::-1], after[head:][::-1])


def _with_ends(inner: list[Pair], head: int, tail: int, old_end: int, new_end: int) -> list[Pair]:
    return [
        *((at, at) for at in range(head)),
        *((head + x, head + y) for x, y in inner),
        *((old_end - at, new_end - at) for at in range(tail, 0, -1)),
    ]


def _equal(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    """The length of the common prefix."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _pairs(
    old: Sequence[Hashable], new: Sequence[Hashable], max_differences: int | None, max_steps: float
) -> list[Pair] | None:
    """The pairs of indices of equal elements, in order."""
    reach = {1: 0}  # by diagonal, the greatest index in `old`
    history: list[dict[int, int]] = []
    steps = 0
    farthest = len(old) + len(new)
    max_distance = farthest if max_differences is None else min(max_differences, farthest)
    for distance in range(max_distance + 1):
        history.append(dict(reach) if distance < 2 else _diagonals(reach, distance))
        for diagonal in range(-distance, distance + 1, 2):
            start = x = _furthest(reach, diagonal, distance)
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            reach[diagonal] = x
            steps += x - start + 1
            if x >= len(old) and x - diagonal >= len(new):
                return list(_walk_back(history, len(old), len(new)))[::-1]
        # Copying a diagonal costs as much as visiting it.
        steps += distance
        if steps > max_steps:
            return None
    return None


def _diagonals(reach: dict[int, int], distance: int) -> dict[int, int]:
    """The diagonals that `_walk_back` reads."""
    return {k: reach[k] for k in range(-distance, distance + 1) if k in reach}


def _furthest(reach: dict[int, int], diagonal: int, distance: int) -> int:
    below, above = reach.get(diagonal - 1, -1), reach.get(diagonal + 1, -1)
    down = diagonal == -distance or (diagonal != distance and below < above)
    return above if down else below + 1


def _walk_back(history: list[dict[int, int]], x: int, y: int) -> Iterator[Pair]:
    for distance in range(len(history) - 1, -1, -1):
        reach, diagonal = history[distance], x - y
        below, above = reach.get(diagonal - 1, -1), reach.get(diagonal + 1, -1)
        down = diagonal == -distance or (diagonal != distance and below < above)
        before = diagonal + 1 if down else diagonal - 1
        start_x = reach.get(before, 0) if distance else 0
        start_y = start_x - before if distance else 0
        while x > start_x and y > start_y:
            x, y = x - 1, y - 1
            yield x, y
        x, y = start_x, start_y


def _group(pairs: list[Pair], old_end: int, new_end: int) -> Iterator[Hunk]:
    """Runs of equal elements, and the changes between them."""
    x = y = 0
    at = 0
    while at < len(pairs):
        start = at
        while at + 1 < len(pairs) and _follows(pairs[at], pairs[at + 1]):
            at += 1
        (first_x, first_y), (last_x, last_y) = pairs[start], pairs[at]
        if first_x > x or first_y > y:
            yield Hunk(False, x, first_x, y, first_y)
        yield Hunk(True, first_x, last_x + 1, first_y, last_y + 1)
        x, y, at = last_x + 1, last_y + 1, at + 1
    if x < old_end or y < new_end:
        yield Hunk(False, x, old_end, y, new_end)


def _follows(pair: Pair, other: Pair) -> bool:
    return other == (pair[0] + 1, pair[1] + 1)
