from hypothesis import given
from hypothesis import strategies as st

from tracing.diff.list_diff import ListChange, diff_lists

ordinals = st.lists(st.integers(0, 9), max_size=12)


def test_what_was_appended_is_added_and_the_rest_the_same() -> None:
    assert diff_lists([1, 2], [1, 2, 3]) == [
        ListChange("same", 0, [1, 2]),
        ListChange("added", 2, [3]),
    ]


def test_what_was_replaced_is_removed_and_added() -> None:
    assert diff_lists([1, 2, 3], [1, 9, 3]) == [
        ListChange("same", 0, [1]),
        ListChange("removed", 1, [2]),
        ListChange("added", 1, [9]),
        ListChange("same", 2, [3]),
    ]


@given(ordinals, ordinals)
def test_the_steps_lead_from_one_list_to_the_other(before: list[int], after: list[int]) -> None:
    steps = diff_lists(before, after)
    assert [o for step in steps if step.change != "removed" for o in step.ordinals] == after
    assert [o for step in steps if step.change != "added" for o in step.ordinals] == before


@given(ordinals, ordinals)
def test_each_step_says_where_it_begins(before: list[int], after: list[int]) -> None:
    for step in diff_lists(before, after):
        source = before if step.change == "removed" else after
        assert source[step.start : step.start + len(step.ordinals)] == step.ordinals
