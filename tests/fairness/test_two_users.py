"""While one user does each of the expensive things, another's turn, page and tool call go on.

The other's time may be twice the quiet one, or the quiet one and `FLOOR_S`, whichever is more. Each
is a median of three; the quiet one is measured before and after each load, so that a machine that
is busy with something else counts in both. The floor is there because two cores have the product,
the model and both users: that CPU alone is shared makes 0.2 s into a second, and into more on a
full machine, which is measured beside the load. Where shares are missing the figures are seconds to
minutes: 55 s behind 80 commands of a product with 64 threads, 101 s behind one fence.

With `-s` the figures are printed.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict

import pytest

from tests.fairness import loads
from tests.fairness.conftest import Users
from tests.fairness.loads import Busy
from tests.fairness.newcomer import Figures
from tests.slowness import slowness

pytestmark = pytest.mark.process

FLOOR_S = 2.0
# One load for each thing whose shares show only in a whole product: threads of the tools worker,
# turns, connections, sockets.
LOADS = [loads.long_commands, loads.silent_turns, loads.slow_bodies, loads.floods]
# Interpreters (what they bound: chat/tests/markdown/test_bounds.py), requests
# (config/tests/test_fair_requests.py), slots of the tools worker for what pages ask of servers; and
# further ways to use up the same.
FURTHER_LOADS = [
    loads.hostile_fences,
    loads.searches,
    loads.hanging_checks,
    loads.previews,
    loads.uploads,
    loads.imports,
    loads.hostile_forms,
]


Row = tuple[Figures, Figures]


@pytest.fixture(scope="module")
def table() -> Iterator[dict[str, Row]]:
    rows: dict[str, Row] = {}
    yield rows
    sys.stdout.write("\n| the busy user's | turn | page | call |\n|---|---|---|---|\n")
    for name, (quiet, loaded) in rows.items():
        pairs = zip(asdict(quiet).values(), asdict(loaded).values(), strict=True)
        cells = " | ".join(f"{before:.2f} → {after:.2f} s" for before, after in pairs)
        sys.stdout.write(f"| {name} | {cells} |\n")


@pytest.mark.parametrize(
    "load",
    [*LOADS, *(pytest.param(load, marks=pytest.mark.campaign) for load in FURTHER_LOADS)],
    ids=lambda load: load.__name__,
)
def test_a_newcomer_is_served_as_if_nobody_else_were_there(
    load: Callable[[Busy], AbstractContextManager[None]], users: Users, table: dict[str, Row]
) -> None:
    before = users.quiet
    with load(users.busy):
        loaded = users.newcomer.measured()
        slow = statistics.median(slowness(time.monotonic) for _ in range(5))
    users.quiet = users.newcomer.measured()
    quiet = before.slowest(users.quiet)
    table[load.__name__] = quiet, loaded
    allowed = {name: max(2 * at, at + FLOOR_S * slow) for name, at in asdict(quiet).items()}
    assert not {name: at for name, at in asdict(loaded).items() if at > allowed[name]}
