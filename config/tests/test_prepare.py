"""What a start refuses to run with, and what it says then."""

from typing import Any

import pytest
from django.conf import LazySettings

from config.prepare import refuse_bad_settings


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"auto_shar": 0.5}, "AGENT_LIMITS, auto_shar: There is no limit of this name."),
        ({"auto_share": 70}, "AGENT_LIMITS, auto_share: This is out of bounds: 0 to 1 share"),
        ([1], "AGENT_LIMITS: Write an object of names and numbers."),
    ],
)
def test_a_start_refuses_the_operators_bad_numbers_and_says_what_to_do(
    settings: LazySettings, given: Any, said: str
) -> None:
    settings.AGENT_LIMITS = given
    with pytest.raises(SystemExit) as refused:
        refuse_bad_settings()
    assert str(refused.value).startswith(said)
    assert "Change the variable AGENT_LIMITS" in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rounds": 5}, "TURN_CEILINGS, rounds: There is no limit of this name."),
        ({"tokens": "many"}, "TURN_CEILINGS, tokens: Write a number, 1,000 to "),
        ({"all_calls": 0}, "TURN_CEILINGS, all_calls: This is out of bounds: 1 to 1,000,000 calls"),
    ],
)
def test_a_start_refuses_ceilings_that_cannot_be_meant(
    settings: LazySettings, given: Any, said: str
) -> None:
    settings.TURN_CEILINGS = given
    with pytest.raises(SystemExit) as refused:
        refuse_bad_settings()
    assert str(refused.value).startswith(said)
    assert "Change the variable TURN_CEILINGS" in str(refused.value)


def test_a_start_goes_on_with_good_numbers(settings: LazySettings) -> None:
    settings.AGENT_LIMITS = {"auto_share": 0.7, "rounds": 20}
    refuse_bad_settings()
