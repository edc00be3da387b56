"""How long turns were silent after a fault had ended."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from tests.chaos.invariants import Check
from tests.chaos.journal import Line, Lines

# What the specification allows on a machine that has nothing else to do.
SPECIFIED = 15.0


@dataclass(frozen=True)
class Recovery:
    """Of one kind of fault: how many there were, and for how many seconds turns were held up."""

    fault: str
    count: int
    held: list[float]

    @property
    def middle(self) -> float:
        return median(self.held) if self.held else 0.0

    @property
    def longest(self) -> float:
        return max(self.held, default=0.0)


@dataclass(frozen=True)
class HeldUp:
    """A turn that was silent for `seconds` after the last fault in its silence had ended."""

    turn: str
    seconds: float
    at: float
    faults: tuple[str, ...]


def held_up(lines: Lines) -> list[HeldUp]:
    """The silences that have a fault in them. One that ends while a fault lasts is not counted."""
    found = []
    for gap in lines["gap"]:
        inside = [fault for fault in lines["fault"] if _overlap(fault, gap)]
        if inside and all(fault["ended"] <= gap["ended"] for fault in inside):
            begins = max(gap["began"], *(fault["ended"] for fault in inside))
            names = tuple(fault["name"] for fault in inside)
            seconds = round(gap["ended"] - begins, 1)
            found.append(HeldUp(gap["turn"], seconds, gap["ended"], names))
    return found


def _overlap(fault: Line, gap: Line) -> bool:
    return bool(fault["began"] < gap["ended"] and fault["ended"] > gap["began"])


def by_fault(lines: Lines) -> list[Recovery]:
    """By the name of the fault, for silences with one fault in them."""
    held = defaultdict(list)
    for one in held_up(lines):
        if len(one.faults) == 1:
            held[one.faults[0]].append(one.seconds)
    names = sorted({fault["name"] for fault in lines["fault"]})
    numbers = [sum(fault["name"] == name for fault in lines["fault"]) for name in names]
    return [Recovery(name, number, held[name]) for name, number in zip(names, numbers, strict=True)]


def nobody_waits_long(lines: Lines) -> Check:
    """The bound is the run's: on a busy machine it is above what is specified."""
    bound = lines.plan()["bound"]
    check = Check(f"No turn is held up longer than {bound:g} s after a fault has ended")
    for one in held_up(lines):
        check.count += 1
        if one.seconds > bound:
            what = f"silent for {one.seconds:g} s after {', '.join(one.faults)}"
            check.fail(what, one.turn, at=one.at)
    return check
