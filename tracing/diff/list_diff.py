"""The difference of two lists of ordinals; no content is read."""

from dataclasses import dataclass

from limits.trace_pages import MAX_DIFFERENCES
from tracing.diff.myers import hunks


@dataclass(frozen=True)
class ListChange:
    """A run of elements that are `same`, `added` or `removed`; `start` is the index of its first
    element, in the earlier list for `removed`, else in the later one."""

    change: str
    start: int
    ordinals: list[int]


def diff_lists(before: list[int], after: list[int]) -> list[ListChange]:
    """The changes from `before` to `after`, in reading order."""
    changes = []
    for hunk in hunks(before, after, MAX_DIFFERENCES):
        old, new = before[hunk.old : hunk.old_end], after[hunk.new : hunk.new_end]
        if hunk.same:
            changes.append(ListChange("same", hunk.new, new))
        else:
            changes += [ListChange("removed", hunk.old, old), ListChange("added", hunk.new, new)]
    return [change for change in changes if change.ordinals]
