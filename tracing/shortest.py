"""The shortest way from one sequence to another (Myers, "An O(ND) difference algorithm", 1986).

Time and memory grow with the number of differences, squared, and not with the length: what is huge
and nearly the same is compared at once, and what differs too much is given up early.
"""

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


def hunks(before: Sequence[Hashable], after: Sequence[Hashable], most: int) -> list[Hunk]:
    """Both sequences from their beginnings to their ends, equal and changed hunks in turn.

    With more than `most` differences all that lies between the equal ends is one changed hunk.
    """
    head = _equal(before, after)
    tail = _equal(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    pairs = _pairs(old, new, most) if old and new else []
    found = [(at, at) for at in range(head)]
    found += [(head + x, head + y) for x, y in pairs]
    found += [(len(before) - at, len(after) - at) for at in range(tail, 0, -1)]
    return list(_grouped(found, len(before), len(after)))


def _equal(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    """How long the two begin alike."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _pairs(old: Sequence[Hashable], new: Sequence[Hashable], most: int) -> list[tuple[int, int]]:
    """The places of equal elements, in order."""
    reached = {1: 0}
    steps: list[dict[int, int]] = []
    for distance in range(min(most, len(old) + len(new)) + 1):
        steps.append(dict(reached) if distance < 2 else _around(reached, distance))
        for diagonal in range(-distance, distance + 1, 2):
            x = _furthest(reached, diagonal, distance)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return list(_walk_back(steps, len(old), len(new)))[::-1]
    return []


def _around(reached: dict[int, int], distance: int) -> dict[int, int]:
    """What the way back will ask for."""
    return {k: reached[k] for k in range(-distance, distance + 1) if k in reached}


def _furthest(reached: dict[int, int], diagonal: int, distance: int) -> int:
    below, above = reached.get(diagonal - 1, -1), reached.get(diagonal + 1, -1)
    down = diagonal == -distance or (diagonal != distance and below < above)
    return above if down else below + 1


def _walk_back(steps: list[dict[int, int]], x: int, y: int) -> Iterator[tuple[int, int]]:
    for distance in range(len(steps) - 1, -1, -1):
        reached, diagonal = steps[distance], x - y
        below, above = reached.get(diagonal - 1, -1), reached.get(diagonal + 1, -1)
        down = diagonal == -distance or (diagonal != distance and below < above)
        before = diagonal + 1 if down else diagonal - 1
        start_x = reached.get(before, 0) if distance else 0
        start_y = start_x - before if distance else 0
        while x > start_x and y > start_y:
            x, y = x - 1, y - 1
            yield x, y
        x, y = start_x, start_y


def _grouped(pairs: list[tuple[int, int]], old_end: int, new_end: int) -> Iterator[Hunk]:
    """Runs of equal elements, and what lies between them."""
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


def _follows(pair: tuple[int, int], other: tuple[int, int]) -> bool:
    return other == (pair[0] + 1, pair[1] + 1)
