"""A short campaign. `python -m tests.fuzz` runs long ones, from other seeds."""

import pytest

from tests.fuzz.campaign import Campaign
from tests.fuzz.targets import TARGETS

pytestmark = pytest.mark.long


def test_five_seconds_of_fuzzing_find_nothing() -> None:
    campaign = Campaign(seed=1)

    campaign.run(5)

    assert campaign.findings == {}
    assert set(campaign.executions) == set(TARGETS)
