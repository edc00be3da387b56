"""Hostile input of each kind stays within its budget of CPU time and memory."""

from collections.abc import Iterator

import pytest

from tests.budgets.runner import Runner
from tests.budgets.table import CASES

pytestmark = pytest.mark.process

KINDS = list(dict.fromkeys(case.kind for case in CASES))


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner("tests.budgets.table", CASES) as child:
        yield child


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_input_stays_within_its_budget(runner: Runner, kind: str) -> None:
    numbers = [number for number, case in enumerate(CASES) if case.kind == kind]
    assert runner.failures(numbers) == []
