"""A whole measurement of the product, as small as it can be."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.bench import Figures, bench, faults
from benchmarks.parts import PARTS
from benchmarks.parts.scale import QUICK, WHOLE, Scale, scale_of
from benchmarks.run import as_markdown, chosen_scale, options_of
from benchmarks.summary import CHIEF
from benchmarks.tests.test_history import HERE

pytestmark = pytest.mark.process

TINY = Scale(
    probes=2,
    burst=(2,),
    steady=(2,),
    burst_seconds=0.5,
    steady_seconds=2.0,
    short_turns=1,
    long_tokens=100,
    calling_turns=1,
    messages=4,
    listed=20,
    browser_seconds=1.0,
    browser_shapes=((390, 1),),
    after_seconds=0.0,
)
# Recording has tests of its own, and takes a third of the time.
MEASURED = [part for part in PARTS if part != "recording"]
# The load client, the stub and the client of openai beside them.
CHOSEN = ["first", "turns"]


def measured(parts: Sequence[str], database: Path | None) -> Figures:
    """The figures of these parts, each of which has some, and none of which has lost anything."""
    figures = bench(TINY, parts, database=database)
    assert {*parts, "idle", "memory", "garbage"} <= {name.split(".")[0] for name in figures}
    assert faults(figures) == []
    return figures


@pytest.fixture(scope="module")
def figures(migrated: Path | None) -> Figures:
    return measured(CHOSEN, migrated)


def test_the_cpu_of_the_processes_adds_up(figures: Figures) -> None:
    name = "turns.5.cpu_a_turn_ms"
    shares = {one: value for one, value in figures.items() if one.startswith(f"{name}.")}
    assert {f"{name}.web", f"{name}.turns"} <= set(shares)
    assert sum(shares.values()) == pytest.approx(figures[name])


@pytest.mark.campaign
def test_every_chief_figure_is_measured_at_its_number_of_streams(migrated: Path | None) -> None:
    figures = measured(MEASURED, migrated)
    replaced = {"50": "2", "10": "2", "100": "2", "200": "2", "1000": "4", "1440x1": "390x1"}

    def tiny(name: str) -> str:
        part, point, *rest = name.split(".")
        point = "2" if part == "burst" else replaced.get(point, point)
        return ".".join([part, point, *rest])

    chief = [name for name in CHIEF if not name.startswith("recording.")]
    assert [name for name in chief if tiny(name) not in figures] == []


def test_the_result_is_a_page_without_paths_of_this_machine(figures: Figures) -> None:
    text = as_markdown(HERE, figures)
    assert "## turns" in text
    assert "/" not in "".join(name for name in figures)


def test_options_choose_what_is_measured() -> None:
    assert chosen_scale(options_of([])) == WHOLE
    assert chosen_scale(options_of(["--quick"])) == QUICK == scale_of(quick=True)
    only = chosen_scale(options_of(["--only", "50", "--no-floor", "--seconds", "10"]))
    assert (only.burst, only.floor, only.burst_seconds) == ((50,), False, 10.0)
    assert chosen_scale(options_of(["--after", "1"])).after_seconds == 60
