"""Digesters at work at the same time."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection
from django.db.models import Sum

from tracing.models import Facet, Metric, Trace
from tracing.stats.aggregates.ended_traces import aggregate_pending
from tracing.tests.builders import ATurn

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TRACES = 30


def count_all(_: int) -> None:
    close_old_connections()
    try:
        aggregate_pending(1000)
    finally:
        connection.close()


def test_each_trace_is_counted_once_by_four_digesters() -> None:
    for _ in range(TRACES):
        turn = ATurn()
        turn.a_round(1, (0, 100))
        turn.a_generation({}, (0, 90), attributes={"provider": "Example", "model": "qwen"})
        turn.end(100)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count_all, range(4)))
    assert not Trace.objects.filter(digested=None).exists()
    counted = Metric.objects.filter(period="ever").values_list("kind")
    sums = counted.annotate(Sum("count"), Sum("total_ms"))
    assert sorted(sums) == [
        ("assistant", TRACES, TRACES * 100),
        ("generation", TRACES, TRACES * 90),
        ("turn", TRACES, TRACES * 100),
        ("user", TRACES, TRACES * 100),
        ("user_model", 0, 0),  # tokens and cost alone
    ]
    assert Facet.objects.count() == 2 * TRACES
