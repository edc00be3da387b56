import subprocess
from pathlib import Path

import pytest

from benchmarks import compare
from benchmarks.comparison import Comparison, as_markdown, chance, comparisons
from benchmarks.product import ROOT
from benchmarks.states import short_id, state


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ([10, 11], [20, 21], True),
        ([20, 21], [10, 11], True),
        ([10, 20], [21, 30], True),
        ([10, 20], [15, 30], False),  # the ranges overlap
        ([10, 20], [21, 22], False),  # the medians are nearer than the runs before
        ([10], [20], False),  # one run has no spread
        ([10, 10], [10, 10], False),
    ],
)
def test_a_difference_counts_if_it_is_larger_than_the_spread(
    before: list[float], after: list[float], counts: bool
) -> None:
    assert Comparison(before, after).counts is counts


def test_more_runs_leave_less_to_chance() -> None:
    assert [round(1 / chance(runs)) for runs in (2, 3, 4)] == [5, 23, 109]


def test_the_table_has_medians_ranges_and_a_verdict() -> None:
    before, after = [{"x": 10.0, "y": 1.0}, {"x": 14.0}], [{"x": 5.0, "z": 1.0}, {"x": 6.0}]
    text = as_markdown(comparisons(before, after))
    assert "| `x` | 12 [10–14] | 5.50 [5–6] | 0.46 | yes, lower |" in text
    assert "`y`" not in text


def test_the_report_has_the_chief_figures_and_what_went_wrong() -> None:
    name = "turns.5.cpu_a_turn_ms"
    after = [{name: 24.0, "turns.5.failed_turns": 1.0}, {name: 25.0}]
    text = compare.report("a", "b", {"a": [{name: 60.0}, {name: 62.0}], "b": after})
    chief = "| CPU of a turn of 5 tokens, ms | 61 [60–62] | 24.5 [24–25] | yes, lower | 25 |"
    assert chief in text
    assert "- b: turns.5.failed_turns: 1" in text


def test_one_run_has_no_verdict() -> None:
    assert "| 0.50 | one run |" in as_markdown(comparisons([{"x": 10.0}], [{"x": 5.0}]))


def test_a_single_revision_is_the_base_of_this_tree() -> None:
    options = compare.options_of(["HEAD~1", "--rounds", "3"])
    assert (options.revision, options.base, options.rounds) == ("HEAD~1", None, 3)


def test_a_state_is_the_code_of_a_commit_with_the_benchmarks_of_this_tree() -> None:
    with state("HEAD") as folder:
        assert folder.name == short_id("HEAD")
        assert (folder / "config" / "web.py").exists()
        assert (folder / "benchmarks").resolve() == ROOT / "benchmarks"
    assert not folder.exists()
    assert str(folder) not in _worktrees()


def test_this_tree_is_measured_as_it_is() -> None:
    with state(None) as folder:
        assert folder == Path(ROOT)


def _worktrees() -> str:
    command = ["git", "-C", str(ROOT), "worktree", "list"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
