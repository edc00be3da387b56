"""What is new in a list against an earlier one: a comparison of ordinals, no content is read."""

from dataclasses import dataclass

from limits.trace_pages import MAX_DIFFERENCES
from tracing.diff.myers import hunks


@dataclass(frozen=True)
class Step:
    """A stretch of elements: `same`, `added` or `removed`; `start` is its place in its list."""

    change: str
    start: int
    ordinals: list[int]


def compare(before: list[int], after: list[int]) -> list[Step]:
    """The steps that lead from `before` to `after`, in reading order."""
    steps = []
    for hunk in hunks(before, after, MAX_DIFFERENCES):
        old, new = before[hunk.old : hunk.old_end], after[hunk.new : hunk.new_end]
        if hunk.same:
            steps.append(Step("same", hunk.new, new))
        else:
            steps += [Step("removed", hunk.old, old), Step("added", hunk.new, new)]
    return [step for step in steps if step.ordinals]
