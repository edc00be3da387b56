import os
import subprocess
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from benchmarks.figures import Outcome
from benchmarks.site import OBSERVED
from benchmarks.timeline.moments import ENTRY, EXIT, MODEL, MOMENTS, RECEIVED, SENT, Moment
from benchmarks.timeline.sends import Edge, read_edges, times
from benchmarks.timeline.table import as_markdown, medians
from benchmarks.tokens import TokenTally

MODULE = """
async def wait():
    return 1

class Thing:
    def run(self):
        return 2
"""
PROGRAM = """
import asyncio
from observed_module import Thing, wait
assert (asyncio.run(wait()), Thing().run()) == (1, 2)
"""


def test_calls_and_returns_of_named_functions_are_written(tmp_path: Path) -> None:
    (tmp_path / "observed_module.py").write_text(MODULE)
    functions = ("wait", "Thing.run", "absent", "Absent.run")
    lines = [f"observed_module:{name}" for name in functions]
    (tmp_path / "functions.txt").write_text("\n".join([*lines, "absent:run"]))
    path = os.pathsep.join(map(str, (OBSERVED, tmp_path)))
    environment = {**os.environ, "PYTHONPATH": path, "BENCH_CALLS": str(tmp_path)}
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True)
    assert [(edge.edge, edge.function) for edge in read_edges(tmp_path)] == [
        (ENTRY, "observed_module:wait"),
        (EXIT, "observed_module:wait"),
        (ENTRY, "observed_module:Thing.run"),
        (EXIT, "observed_module:Thing.run"),
    ]


def exists(function: str) -> bool:
    module, _, name = function.partition(":")
    try:
        attrgetter(name)(import_module(module))
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("moment", [one for one in MOMENTS if one.edges], ids=lambda one: one.label)
def test_this_version_has_a_function_that_tells_the_moment(moment: Moment) -> None:
    assert any(exists(function) for _, function in moment.edges)


def outcome() -> Outcome:
    """Sent at 1,000 µs, its first token by the model at 5,000, received at 9,000."""
    result = Outcome(TokenTally(1), first_token_us=8000, began_us=1000)
    result.tally.feed("0:5000.", 9000)
    return result


def test_the_moments_of_a_send_are_the_first_ones_after_it() -> None:
    edges = [
        Edge(900, ENTRY, "chat.live.consumer:ChatConsumer.receive"),
        Edge(1500, ENTRY, "chat.live.consumer:ChatConsumer.receive"),
        Edge(1600, ENTRY, "chat.live.consumer:ChatConsumer.receive"),
        Edge(9500, EXIT, "chat.live.rights:valid"),
    ]
    assert times(edges, outcome()) == {"the frame is read": 500, MODEL: 4000, RECEIVED: 8000}


def test_an_announcement_of_the_token_comes_after_its_text_was_published() -> None:
    announced = "chat.live.feed:Hub._announced"
    edges = [
        Edge(2000, ENTRY, announced),
        Edge(6000, ENTRY, "chat.events.running_text:Flusher.push"),
        Edge(6500, ENTRY, "chat.events.scripts:AsyncScripts.append"),
        Edge(7000, ENTRY, announced),
    ]
    assert times(edges, outcome())["the announcement is read"] == 6000


def test_a_moment_that_most_sends_lack_is_left_out() -> None:
    sends = [{"a": 1000, "b": 5000}, {"a": 3000}, {"a": 2000}]
    assert medians(sends) == {SENT: 0.0, "a": 2.0}


def test_the_table_has_a_version_beside_the_other_with_its_steps() -> None:
    before = [{"the frame is read": 500, "the turn is claimed": 3000, RECEIVED: 9000}]
    after = [{"the frame is read": 400, RECEIVED: 4000}]
    text = as_markdown({"aa": before, "bb": after})
    assert "| process | moment | aa: ms | step | bb: ms | step |" in text
    assert "| turns | the turn is claimed | 3.00 | 2.50 |  |  |" in text
    assert "| client | the frame is received | 9.00 | 6.00 | 4.00 | 3.60 |" in text
