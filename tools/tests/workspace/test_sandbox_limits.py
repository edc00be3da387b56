"""The operator's limits of commands: what is wrong with them is said before anything runs."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tools.workspace.limits import Limits, configured, problems


def test_the_operator_s_numbers_replace_those_that_ship(settings: Settings) -> None:
    settings.SANDBOX_LIMITS = {"processes": 7, "seconds": 5}
    assert configured() == Limits(processes=7, seconds=5)
    assert configured(seconds=1).seconds == 1


@pytest.mark.parametrize("given", [{}, {"seconds": 0.5}, {"disk_free_bytes": 0, "processes": 8}])
def test_what_is_right_has_no_problem(given: Any) -> None:
    assert problems(given) == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([1], "has to be a JSON object"),
        ({"secs": 1}, "knows no 'secs', but seconds, "),
        ({"seconds": 0}, "seconds has to be a number from 0.1 to 86,400, not 0"),
        ({"seconds": True}, "not True"),
        ({"processes": 1.5}, "a whole number from 4 to 100,000, not 1.5"),
        ({"memory_bytes": "1G"}, "memory_bytes has to be a whole number"),
    ],
)
def test_what_is_wrong_is_named_with_what_would_be_right(given: Any, says: str) -> None:
    (problem,) = problems(given)
    assert says in problem
