import asyncio

from benchmarks.floor import floor
from benchmarks.measuring import Plan
from benchmarks.stub import Stub


def test_the_floor_reads_every_token_of_every_stream(stub: Stub) -> None:
    plan = Plan(streams=3, tokens=20, turns=2, start_within=0.05, timeout=5)
    result = asyncio.run(floor(stub.base_url, "stub-r200-n20", plan))
    assert (result.turns, result.failed, result.expected, result.received) == (6, 0, 120, 120)
    assert (result.duplicated, result.reordered) == (0, 0)
    assert result.first_token
    assert result.latency


def test_a_failing_turn_is_counted_with_its_error(stub: Stub) -> None:
    plan = Plan(streams=1, tokens=20, start_within=0, timeout=5)
    result = asyncio.run(floor(stub.base_url, "stub-n20-f500", plan))
    assert (result.failed, result.lost) == (1, 20)
    assert "500" in result.errors[0]


def test_a_turn_without_end_fails_by_its_timeout(stub: Stub) -> None:
    plan = Plan(streams=1, tokens=20, start_within=0, timeout=0.2)
    result = asyncio.run(floor(stub.base_url, "stub-n20-fstall-at5", plan))
    assert (result.failed, result.lost) == (1, 15)
    assert "TimeoutError" in result.errors[0]
