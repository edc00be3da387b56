"""What is new in a list against an earlier one: a comparison of ordinals, no content is read."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile


@dataclass(frozen=True)
class Step:
    """A stretch of elements: `same`, `added` or `removed`; `start` is its place in its list."""

    change: str
    start: int
    ordinals: list[int]


def compare(before: list[int], after: list[int]) -> list[Step]:
    """The steps that lead from `before` to `after`, in reading order."""
    head = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    )
    steps = [Step("same", 0, after[:head])]
    matcher = SequenceMatcher(None, before[head:], after[head:], autojunk=False)
    for change, old, old_end, new, new_end in matcher.get_opcodes():
        if change == "equal":
            steps.append(Step("same", head + new, after[head + new : head + new_end]))
            continue
        steps.append(Step("removed", head + old, before[head + old : head + old_end]))
        steps.append(Step("added", head + new, after[head + new : head + new_end]))
    return [step for step in steps if step.ordinals]
