"""Sampled stacks as a tree of frames.

Input is the "folded" form: a line for each stack, its frames from the outermost to the innermost,
separated by `;`, and how often it was sampled.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self


@dataclass
class Frame:
    """A function in its place on the stack; `samples` counts those of the functions that it calls
    too."""

    name: str
    samples: int = 0
    callees: dict[str, "Frame"] = field(default_factory=dict)

    @classmethod
    def from_folded(cls, text: str, root: str) -> Self:
        """The tree of all stacks, below a frame with this name."""
        tree = cls(root)
        for line in text.splitlines():
            stack, _, count = line.rpartition(" ")
            tree._add(stack.split(";"), int(count))
        return tree

    def _add(self, stack: list[str], count: int) -> None:
        frame: Frame = self
        frame.samples += count
        for name in stack:
            frame = frame.callees.setdefault(name, Frame(name))
            frame.samples += count

    def walk(
        self, min_samples: float, depth: int = 0, left: int = 0
    ) -> Iterator[tuple["Frame", int, int]]:
        """The frames with so many samples at least, their depth, and how many samples lie left of
        them; callees by name, as flame graphs have them."""
        yield self, depth, left
        for _, callee in sorted(self.callees.items()):
            if callee.samples >= min_samples:
                yield from callee.walk(min_samples, depth + 1, left)
            left += callee.samples
