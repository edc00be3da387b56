"""Percentiles of histograms against those of the durations themselves."""

import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tracing.stats.aggregates import histogram

durations = st.lists(st.floats(min_value=0.01, max_value=5e8), min_size=1)


def exact(values: list[float], share: float) -> float:
    """The nearest rank."""
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


@given(durations, st.sampled_from([0.0, 0.5, 0.9, 0.95, 0.99, 1.0]))
def test_a_percentile_is_within_five_per_cent(values: list[float], share: float) -> None:
    found = histogram.percentile(histogram.of(values), share)
    truth = exact(values, share)
    assert found is not None
    assert abs(found - truth) <= 0.05 * truth


@given(durations, durations)
def test_merged_histograms_are_the_histogram_of_both(one: list[float], two: list[float]) -> None:
    merged = histogram.of(one)
    histogram.merge(merged, histogram.stored(histogram.of(two)))
    assert merged == histogram.of(one + two)


@given(durations)
def test_percentiles_rise(values: list[float]) -> None:
    shares = (0.5, 0.9, 0.95, 0.99)
    found = histogram.percentiles(histogram.of(values), shares)
    assert found == sorted(found, key=lambda value: value or 0)
    assert found == [histogram.percentile(histogram.of(values), share) for share in shares]


@given(st.lists(st.floats(min_value=0, max_value=1e6), min_size=1))
def test_doubling_buckets_count_what_is_not_over_their_bounds(values: list[float]) -> None:
    counted = histogram.cumulated(histogram.of(values), 13)
    hair = 1 + 1e-8
    bounds = [10.0 * 2**n for n in range(14)]
    for found, bound in zip(counted, bounds, strict=False):
        assert sum(value <= bound for value in values) <= found
        assert found <= sum(value <= bound * hair for value in values)
    assert counted[-1] == len(values)


def test_bounds_belong_to_the_bucket_below() -> None:
    assert [histogram.bucket(10.0 * 2**n) for n in range(14)] == [8 * n for n in range(14)]


def test_nothing_has_no_percentile() -> None:
    assert histogram.percentile(Counter(), 0.5) is None


def test_no_time_at_all_is_counted_too() -> None:
    found = histogram.of([0.0, -3.0, float("nan"), float("inf")])
    assert found.total() == 4
