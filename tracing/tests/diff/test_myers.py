"""The way from one sequence to another."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tracing.diff.myers import common, hunks

LISTS = st.lists(st.integers(0, 5), max_size=30)


@given(LISTS, LISTS, st.integers(0, 60))
def test_hunks_make_up_both_sequences(before: list[int], after: list[int], most: int) -> None:
    found = hunks(before, after, most)
    assert [x for hunk in found for x in before[hunk.old : hunk.old_end]] == before
    assert [x for hunk in found for x in after[hunk.new : hunk.new_end]] == after
    for hunk in found:
        equal = before[hunk.old : hunk.old_end] == after[hunk.new : hunk.new_end]
        assert equal == hunk.same


@given(LISTS, LISTS)
def test_it_is_the_shortest(before: list[int], after: list[int]) -> None:
    kept = sum(hunk.old_end - hunk.old for hunk in hunks(before, after, 100) if hunk.same)
    assert kept == longest_common(before, after)


@given(st.text(alphabet="abc", max_size=12), st.text(alphabet="abc", max_size=12))
def test_nothing_longer_is_common(left: str, right: str) -> None:
    pairs = common(left, right)
    assert pairs is not None
    assert all(left[x] == right[y] for x, y in pairs)
    assert len(pairs) == longest_common(left, right)


def test_what_takes_more_steps_or_differences_has_no_answer() -> None:
    left, right = "abcdefgh", "hgfedcba"
    assert common(left, right) is not None
    assert common(left, right, max_steps=40) is None
    assert common(left, right, max_differences=4) is None
    assert common(left, left, max_steps=0, max_differences=0) is not None


def test_what_differs_too_much_is_one_hunk() -> None:
    found = hunks([0, *range(1, 2000), 0], [0, *range(2000, 4000), 0], 10)
    assert [hunk.same for hunk in found] == [True, False, True]


def longest_common(before: Sequence[object], after: Sequence[object]) -> int:
    row = [0] * (len(after) + 1)
    for x in before:
        above = row[:]
        for place, y in enumerate(after):
            row[place + 1] = above[place] + 1 if x == y else max(row[place], above[place + 1])
    return row[-1]
