"""The runner names what fails, and goes on after what ends its child."""

from collections.abc import Iterator

import pytest

from tests.budgets.broken import CASES, NAMES
from tests.budgets.runner import Runner

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner("tests.budgets.broken", CASES) as child:
        yield child


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("slow", "s of CPU time; its budget is 0.1 s"),
        ("endless", "it ended the process by SIGPROF"),
        ("slow child", "s of CPU time; its budget is 0.2 s"),
        ("recursion", "RecursionError"),
        ("memory", "MB of memory; its budget is 20 MB"),
        ("exit", "it ended the process by an exit"),
    ],
)
def test_a_case_that_fails_is_named_with_the_reason(runner: Runner, name: str, why: str) -> None:
    [failure] = runner.failures([NAMES.index(name)])
    assert failure.startswith(f"broken: {name} (")
    assert why in failure


def test_a_refusal_is_no_failure(runner: Runner) -> None:
    assert runner.failures([NAMES.index("refused"), NAMES.index("quick")]) == []


def test_the_next_case_runs_after_one_that_ended_the_child(runner: Runner) -> None:
    failures = runner.failures([NAMES.index("exit"), NAMES.index("quick")])
    assert len(failures) == 1
