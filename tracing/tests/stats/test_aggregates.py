"""What is counted of ended traces, and that it is counted once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from limits.traces import MAX_UNCOUNTED_S
from tracing.models import Facet, FacetValue, Metric, Span, Trace
from tracing.search.sources import read_spans
from tracing.stats.aggregates import histogram
from tracing.stats.aggregates.ended_traces import (
    BATCH,
    FEW_TURNS,
    aggregate,
    aggregate_pending,
    count,
    is_due,
    pending_traces,
)
from tracing.stats.aggregates.metrics import forget_errors
from tracing.stats.aggregates.trace_summary import Summary, summarize
from tracing.tests.builders import ATurn, wire

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PRICES = {"in": "1", "out": "4"}


def asked(**noted: Any) -> dict[str, Any]:
    """What a generation's span notes."""
    return {
        "provider": "Example",
        "model": "qwen",
        "dialect": "native",
        "prices": PRICES,
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
        "timings": {"send_ms": 5, "first_token_ms": 95},
        **noted,
    }


def a_turn(status: str = "succeeded", owner: User | None = None) -> ATurn:
    """Two rounds, a failed call in the first, 900 ms."""
    turn = ATurn(owner)
    turn.a_round(1, (0, 400))
    turn.a_generation({}, (10, 310), attributes=asked())
    noted = {"server": "sqlite", "tool": "read_query", "is_error": True}
    turn.a_call({"shown": b"no such table"}, (320, 360), 1, status="failed", attributes=noted)
    turn.a_round(2, (400, 900))
    turn.a_generation({}, (410, 510), status="failed", error="503", attributes=asked(usage=None))
    turn.a_generation({}, (520, 880), number=2, attributes=asked())
    turn.end(900, status)
    return turn


def digested(turn: ATurn) -> Trace:
    aggregate(turn.trace)
    turn.trace.refresh_from_db()
    return turn.trace


def summary(turn: ATurn) -> Summary:
    return summarize(turn.trace, read_spans([turn.trace])[turn.trace.pk])


def measure(kind: str, name: str, period: str = "hour") -> Metric:
    return Metric.objects.get(kind=kind, name=name, period=period)


def test_a_trace_gets_its_figures() -> None:
    trace = digested(a_turn())
    assert (trace.duration_ms, trace.rounds, trace.calls) == (900, 2, 1)
    assert (trace.tokens_in, trace.tokens_out, trace.tokens) == (2000, 100, 2100)
    assert trace.cost == Decimal("0.0024")
    assert trace.digested is not None


def test_a_failed_call_and_a_second_attempt_are_marked() -> None:
    trace = digested(a_turn())
    assert (trace.has_error, trace.has_retry) == (True, True)


def test_a_plain_trace_has_neither_error_nor_retry_nor_cost() -> None:
    turn = ATurn()
    turn.a_round(1, (0, 100))
    turn.a_generation({}, (10, 90), attributes={"model": "qwen"})
    turn.end(100)
    trace = digested(turn)
    assert (trace.has_error, trace.has_retry, trace.cost) == (False, False, None)


def test_what_a_trace_had_to_do_with_can_be_looked_up() -> None:
    digested(a_turn())
    found = set(Facet.objects.values_list("name", "value"))
    wanted = {
        ("model", "qwen"),
        ("provider", "Example"),
        ("dialect", "native"),
        ("server", "sqlite"),
        ("tool", "read_query"),
    }
    assert found == wanted == set(FacetValue.objects.values_list("name", "value"))


def test_generations_are_counted_by_provider_and_model() -> None:
    digested(a_turn())
    row = measure("generation", "qwen")
    assert (row.group, row.count, row.errors, row.retries) == ("Example", 3, 1, 1)
    assert (row.tokens_in, row.tokens_out, row.cost) == (2000, 100, Decimal("0.0024"))
    assert row.total_ms == 300 + 100 + 360
    assert row.last_error == "503"


def test_a_failing_tool_is_counted_with_what_it_said() -> None:
    digested(a_turn())
    row = measure("tool", "read_query")
    assert (row.group, row.count, row.errors) == ("sqlite", 1, 1)
    assert row.last_error == "no such table"
    assert row.last_failed is not None and row.last_failed.kind == "tool"


def test_what_an_error_said_goes_with_its_trace() -> None:
    turn = a_turn()
    digested(turn)
    assert forget_errors() == 0
    turn.archive.delete()
    forget_errors()
    row = measure("tool", "read_query", "ever")
    assert (row.errors, row.last_error) == (1, "")


def test_turns_are_counted_by_how_they_ended() -> None:
    digested(a_turn())
    digested(a_turn("failed"))
    assert measure("turn", "succeeded").count == 1
    failed = measure("turn", "failed")
    assert (failed.count, failed.errors, failed.rounds) == (1, 1, 2)


def test_the_first_token_of_a_turn_is_that_of_its_first_answer() -> None:
    digested(a_turn())
    row = measure("turn", "succeeded")
    assert row.first_tokens == {str(histogram.bucket(110)): 1}


def test_hour_day_week_and_all_time_have_the_same_sums() -> None:
    digested(a_turn())
    digested(a_turn())
    rows = [measure("generation", "qwen", period) for period in ("hour", "day", "week", "ever")]
    assert [(row.count, row.durations) for row in rows] == [(6, rows[0].durations)] * 4


def test_an_hour_is_the_one_in_which_a_trace_ended() -> None:
    turn = a_turn()
    Trace.objects.filter(pk=turn.trace.pk).update(ended=datetime(2026, 3, 1, 14, 59, tzinfo=UTC))
    aggregate_pending(1)
    hours = Metric.objects.filter(kind="turn").values_list("period", "hour__day", "hour__hour")
    assert {("hour", 1, 14), ("day", 1, 0), ("week", 23, 0)} < set(hours)


def test_a_second_digest_changes_nothing() -> None:
    turn = a_turn()
    aggregate(turn.trace)
    aggregate(turn.trace)
    assert measure("generation", "qwen").count == 3


def test_a_running_trace_is_left_alone() -> None:
    ATurn()
    assert aggregate_pending(10) == 0
    assert Metric.objects.count() == 0


def test_pending_traces_are_counted_oldest_first_up_to_the_limit() -> None:
    turns = [a_turn() for _ in range(3)]
    assert aggregate_pending(2) == 2
    assert [trace.pk for trace in pending_traces()] == [turns[2].trace.pk]


def test_traces_are_counted_at_once_while_few_run() -> None:
    assert not is_due()
    a_turn()
    for _ in range(FEW_TURNS):
        ATurn()
    assert is_due()


def test_while_many_run_traces_wait_some_seconds_and_no_longer() -> None:
    turn = a_turn()
    for _ in range(FEW_TURNS + 1):
        ATurn()
    assert not is_due()
    ended = timezone.now() - timedelta(seconds=MAX_UNCOUNTED_S)
    Trace.objects.filter(pk=turn.trace.pk).update(ended=ended)
    assert is_due()


def test_a_trace_that_cannot_be_read_does_not_hold_up_the_others() -> None:
    broken, whole = a_turn(), a_turn()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tracing_span SET attributes = '{not json' WHERE trace_id = %s",
            [broken.trace.pk],
        )
    assert aggregate_pending(10) == 2
    broken.trace.refresh_from_db()
    whole.trace.refresh_from_db()
    assert (broken.trace.duration_ms, broken.trace.rounds) == (900, 0)
    assert whole.trace.rounds == 2


def test_odd_attributes_are_counted_as_nothing() -> None:
    turn = ATurn()
    turn.a_round(1, (0, 100))
    odd = asked(usage={"prompt_tokens": "many"}, timings=["soon"], prices=3, model=None)
    turn.a_generation({}, (10, 90), attributes=odd, name="qwen")
    turn.end(100)
    trace = digested(turn)
    assert (trace.tokens, trace.cost, trace.rounds) == (0, None, 1)


def test_figures_beyond_reason_do_not_spoil_the_sums() -> None:
    for _ in range(3):
        turn = ATurn()
        turn.a_round(1, (0, 100))
        usage = {"prompt_tokens": 10**30, "completion_tokens": 1}
        turn.a_generation({}, (10, 90), attributes=asked(usage=usage))
        turn.end(100)
        assert digested(turn).tokens_out == 1
    assert measure("generation", "qwen", "ever").count == 3


def test_a_trace_whose_figures_do_not_fit_does_not_hold_up_the_others() -> None:
    odd, plain = summary(a_turn()), summary(a_turn())
    odd.figures["tokens"] = 10**30
    count([odd, plain])
    assert not pending_traces().exists()
    assert list(Trace.objects.order_by("id").values_list("rounds", flat=True)) == [0, 2]
    assert measure("turn", "succeeded", "ever").count == 2


def test_a_replay_asks_no_model() -> None:
    turn = a_turn()
    Trace.objects.filter(pk=turn.trace.pk).update(kind="replay")
    aggregate_pending(1)
    assert set(Metric.objects.values_list("kind", "group")) == {("turn", "replay")}


def test_turns_are_counted_by_user_and_by_assistant_with_what_subagents_spent() -> None:
    turn = a_turn()
    Trace.objects.filter(pk=turn.trace.pk).update(attributes={"preset": "Analyst"})
    nested = turn.a_subagent(Span.objects.get(kind="tool"))
    nested.a_round(1, (0, 50))
    nested.a_generation({}, (0, 40), attributes=asked())
    nested.end(50)
    aggregate_pending(10)
    for kind, name in (("user", str(turn.archive.owner_id)), ("assistant", "Analyst")):
        found = measure(kind, name)
        assert (found.count, found.tokens_in, found.total_ms) == (1, 3000, 900)
    assert nested.trace.facets.filter(name="assistant", value="Analyst").exists()


def test_probes_and_replays_have_no_assistant_and_replays_cost_nobody() -> None:
    for kind in ("probe", "replay"):
        turn = a_turn()
        Trace.objects.filter(pk=turn.trace.pk).update(kind=kind)
        aggregate_pending(10)
        assert not Metric.objects.filter(kind="assistant").exists()
    assert not Metric.objects.filter(kind="user", name=str(turn.archive.owner_id)).exists()


def test_many_traces_take_as_many_statements_as_two() -> None:
    def statements(count: int) -> int:
        for _ in range(count):
            turn = a_turn()
            turn.a_round(3, (900, 950))
            stages = {"input": wire({"messages": [{"role": "user", "content": "Why?"}]})}
            turn.a_generation(stages | {"output": wire({"message": {}})}, (910, 940))
        with CaptureQueriesContext(connection) as queries:
            assert aggregate_pending(100) == count
        return len(queries)

    statements(2)
    few, many = statements(2), statements(BATCH)
    # The result of each failed call is read by itself; rows are inserted 32 at a time.
    assert many - few <= 2 * (BATCH - 2) + 5


def test_tools_that_a_model_invents_are_counted_under_one_name() -> None:
    turn = a_turn()
    for number, name in enumerate(("fly", "swim"), 2):
        noted = {"server": "", "tool": name, "offered": False, "is_error": True}
        turn.a_call({}, (380, 390), number, status="failed", name=name, attributes=noted)
    trace = digested(turn)
    assert measure("tool", "_unknown").count == 2
    assert set(trace.facets.filter(name="tool").values_list("value", flat=True)) == {
        "read_query",
        "_unknown",
    }
