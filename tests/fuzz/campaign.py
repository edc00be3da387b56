"""Runs the targets in turn until a time is over, and keeps what it found."""

import random
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.grammar import Grammar
from tests.fuzz.targets import TARGETS

# A long answer is a thousand times as much work as any other case.
SELDOM = 200


@dataclass
class Campaign:
    """`findings` has the first case of each place in which something went wrong."""

    seed: int
    executions: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)

    def run(self, seconds: float) -> None:
        """At least every target once."""
        end = time.monotonic() + seconds
        number = 0
        while number == 0 or time.monotonic() < end:
            for target in TARGETS:
                if number % SELDOM == 0 or not target.startswith("long"):
                    self._try(target, number)
            number += 1

    def _try(self, target: str, number: int) -> None:
        self.executions[target] += 1
        case = f"{target}:{self.seed}:{number}"
        try:
            run_case(case)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{target}: {type(error).__name__} at {frame.filename}:{frame.lineno}"
            self.findings.setdefault(place, f"{case}\n{traceback.format_exc(limit=-4)}")


def run_case(case: str) -> None:
    """Runs `target:seed:number`. Raises whatever is wrong."""
    target, _, _ = case.rsplit(":", 2)
    TARGETS[target](Grammar(random.Random(case)))
