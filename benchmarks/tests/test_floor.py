import asyncio

from benchmarks.floor import floor
from benchmarks.measuring import Plan
from benchmarks.stub import Stub


def test_the_floor_reads_every_token_of_every_stream(stub: Stub) -> None:
    plan = Plan(streams=3, tokens=20, turns=2, start_within=0.05, timeout=5)
    found = asyncio.run(floor(stub.base_url, "stub-r200-n20", plan))
    assert (found.turns, found.failed, found.expected, found.received) == (6, 0, 120, 120)
    assert (found.duplicated, found.reordered) == (0, 0)
    assert found.first_token
    assert found.latency


def test_a_failing_turn_is_counted_with_its_error(stub: Stub) -> None:
    plan = Plan(streams=1, tokens=20, start_within=0, timeout=5)
    found = asyncio.run(floor(stub.base_url, "stub-n20-f500", plan))
    assert (found.failed, found.lost) == (1, 20)
    assert "500" in found.errors[0]


def test_a_turn_without_end_fails_by_its_timeout(stub: Stub) -> None:
    plan = Plan(streams=1, tokens=20, start_within=0, timeout=0.2)
    found = asyncio.run(floor(stub.base_url, "stub-n20-fstall-at5", plan))
    assert (found.failed, found.lost) == (1, 15)
    assert "TimeoutError" in found.errors[0]
