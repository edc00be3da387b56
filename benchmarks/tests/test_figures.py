import json
import statistics
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.figures import Figures, Outcome, Spread, figures, percentile, spread, steady
from benchmarks.tokens import TokenTally


@pytest.mark.parametrize(("percent", "expected"), [(50, 50), (95, 95), (99, 99), (100, 100)])
def test_percentiles_of_1_to_100_are_themselves(percent: float, expected: float) -> None:
    assert percentile(range(1, 101), percent) == expected


def test_a_percentile_of_few_values_is_one_of_them() -> None:
    assert [percentile([10, 20, 30, 40], percent) for percent in (1, 25, 26, 50, 99)] == [
        *[10, 10, 20, 20, 40]
    ]


@given(st.lists(st.integers(0, 10**9), min_size=1), st.integers(1, 100))
def test_a_percentile_has_enough_values_at_or_below_it(values: list[int], percent: int) -> None:
    result = percentile(sorted(values), percent)
    assert result in values
    assert sum(value <= result for value in values) * 100 >= len(values) * percent
    assert sum(value < result for value in values) * 100 < len(values) * percent


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_the_p50_is_the_low_median(values: list[int]) -> None:
    result = spread(values)
    assert result
    assert result.p50 == statistics.median_low(values) / 1000


def test_a_spread_is_in_milliseconds_and_none_without_values() -> None:
    assert spread([1500]) == Spread(1.5, 1.5, 1.5, 1.5)
    assert spread([]) is None


def outcome(expected: int, text: str, error: str | None = None) -> Outcome:
    result = Outcome(TokenTally(expected), first_token_us=2000, error=error)
    result.tally.feed(text, 1000)
    return result


def stream(began_us: int, first_token_us: int, *tokens: tuple[int, int]) -> Outcome:
    """A turn whose tokens are (sent, received), in microseconds."""
    result = Outcome(TokenTally(len(tokens)), first_token_us=first_token_us, began_us=began_us)
    for index, (sent, received) in enumerate(tokens):
        result.tally.feed(f" {index}:{sent}.", received)
    return result


LONG = stream(0, 1000, (0, 1000), (3000, 4000), (6000, 7000))


def test_the_figures_are_sums_over_the_turns() -> None:
    turns = [outcome(2, "0:0. 1:0."), outcome(2, "0:0.", "stopped: None"), outcome(1, "")]
    result = figures(3, turns, 1.0, 5.0)
    assert (result.turns, result.failed, result.expected, result.received, result.lost) == (
        3,
        1,
        5,
        3,
        2,
    )
    assert result.errors == ["stopped: None"]
    assert result.first_token == Spread(2, 2, 2, 2)


def test_figures_survive_json() -> None:
    turns = [outcome(1, "0:0."), Outcome(TokenTally(1))]
    for result in (figures(1, turns, 1.0, 5.0), figures(1, [LONG], 1.0, 5.0)):
        assert Figures.from_json(json.loads(json.dumps(asdict(result)))) == result


def test_the_steady_part_is_from_the_last_begin_to_the_first_end() -> None:
    late = stream(1000, 1500, (2000, 2500), (3000, 3500), (7000, 9000))
    result = steady([LONG, late])
    assert result
    assert (result.began_us, result.ended_us, result.tokens) == (2500, 6000, 2)
    assert result.latency == Spread(0.5, 1.0, 1.0, 1.0)


def test_streams_that_never_all_ran_have_no_steady_part() -> None:
    early, late = stream(0, 1000, (0, 1000)), stream(5000, 1000, (5500, 6000), (7000, 7500))
    assert steady([early, late]) is None
    assert steady([early, Outcome(TokenTally(1))]) is None
