"""Histograms of durations, which can be added and give percentiles.

Bucket n holds what is over 10 ms · 2^((n-1)/8) and not over 10 ms · 2^(n/8). So a percentile is
known to (2^⅛ - 1) / (2^⅛ + 1) = 4.4 %, two histograms are merged by adding their counts, and the
buckets of OpenTelemetry (10 ms, doubling) are exact sums of these. The scheme is that of DDSketch
(Masson, Rim and Lee, 2019) with the base chosen for those buckets.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

FIRST_MS = 10.0
BUCKETS_PER_DOUBLING = 8
# The first and the last bucket: 0.01 ms and 124 days. Durations beyond are counted in these.
LEAST, LAST = -80, 240
# Tolerance: a duration on a bound may be computed as slightly above it.
EPSILON = 1e-9

Histogram = Counter[int]
# Bucket numbers by their JSON keys; a table, since a page adds thousands of histograms.
_NUMBERS = {str(number): number for number in range(LEAST, LAST + 1)}


def bucket(ms: float) -> int:
    """The bucket of a duration in milliseconds."""
    if not ms > bound(LEAST):
        return LEAST
    if ms > bound(LAST):
        return LAST
    return math.ceil(BUCKETS_PER_DOUBLING * math.log2(ms / FIRST_MS) - EPSILON)


def bound(number: int) -> float:
    """The longest duration of a bucket, in milliseconds."""
    return FIRST_MS * math.pow(2, number / BUCKETS_PER_DOUBLING)


def of(durations: Iterable[float]) -> Histogram:
    return Counter(bucket(ms) for ms in durations)


def percentile(counts: Histogram, share: float) -> float | None:
    """The duration, in milliseconds, that this share (0 to 1) of them do not exceed: the nearest
    rank, within 4.4 % for what is over 0.01 ms. None for an empty histogram."""
    return percentiles(counts, (share,))[0]


def percentiles(counts: Histogram, shares: Iterable[float]) -> list[float | None]:
    """Several percentiles in one pass. `shares` must be in ascending order."""
    total = counts.total()
    if not total:
        return [None for _ in shares]
    values: list[float | None] = []
    ordered = iter(sorted(counts.items()))
    number, passed = LEAST, 0
    for share in shares:
        rank = max(1, math.ceil(share * total - EPSILON))
        while passed < rank:
            number, count = next(ordered)
            passed += count
        values.append(_middle(number))
    return values


def cumulated(counts: Histogram, doublings: int) -> list[int]:
    """Counts of durations up to 10 ms, 20 ms, … 10 ms · 2^doublings, and the count of all."""
    bins = [0] * (doublings + 2)
    for number, count in counts.items():
        bins[min(max(-(-number // BUCKETS_PER_DOUBLING), 0), doublings + 1)] += count
    totals, passed = [], 0
    for count in bins:
        passed += count
        totals.append(passed)
    return totals


def merge(counts: Histogram, stored: Any) -> None:
    """Adds the histogram of a row. Ignores a value that is none."""
    count_of = counts.get
    for text, count in stored.items() if isinstance(stored, Mapping) else ():
        number = _NUMBERS.get(text, LEAST)
        counts[number] = count_of(number, 0) + count


def stored(counts: Histogram) -> dict[str, int]:
    """The histogram as a JSON object."""
    return {str(number): count for number, count in sorted(counts.items()) if count}


def _middle(number: int) -> float:
    """The value with the same relative error at both bounds of the bucket."""
    low, high = bound(number - 1), bound(number)
    return 2 * low * high / (low + high)
