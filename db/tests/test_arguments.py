"""Numbers of arguments for which statements are compiled."""

import pytest

from db.arguments import padded

COUNTS = [(0, 0), (1, 1), (2, 4), (4, 4), (5, 16), (17, 64)]


@pytest.mark.parametrize(("count", "arguments"), COUNTS)
def test_the_last_value_is_repeated_up_to_a_power_of_four(count: int, arguments: int) -> None:
    values = padded(range(count))

    assert len(values) == arguments
    assert set(values.values()) == set(range(count))
