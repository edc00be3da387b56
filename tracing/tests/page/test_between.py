"""What the time between the steps of a turn went into."""

from datetime import datetime, timedelta

import pytest

from tracing.journal import trace_rounds
from tracing.page.timeline.overhead import between
from tracing.page.timeline.time_ledger import make_ledger
from tracing.tests.builders import ATurn, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn() -> ATurn:
    return ATurn(a_user())


def a_round(turn: ATurn, number: int, at: tuple[float, float], rung: float | None) -> None:
    moments = {
        "rung": turn.at(rung).isoformat() if rung is not None else None,
        "step": turn.at(at[0] - 30).isoformat(),
    }
    turn.a_round(number, at, attributes={"taken_up": moments})


def spent(turn: ATurn) -> list[tuple[str, int, int]]:
    """Kind, begin and end in milliseconds."""
    parts = [part for found in trace_rounds.rounds(turn.trace) for part in between(found)]
    return [(str(part.kind), since(turn, part.start), since(turn, part.end)) for part in parts]


def since(turn: ATurn, moment: datetime) -> int:
    return (moment - turn.start) // timedelta(milliseconds=1)


def test_between_two_rounds_it_is_stored_queued_and_a_request_is_built(turn: ATurn) -> None:
    a_round(turn, 1, (100, 500), rung=50)
    turn.a_generation({}, (100, 200))
    turn.a_call({}, (210, 300), 1)
    turn.a_call({}, (220, 350), 2)
    a_round(turn, 2, (500, 900), rung=380)
    turn.a_generation({}, (500, 800))
    parts = spent(turn)
    assert set(parts) == {
        ("queue", 50, 70),
        ("context", 70, 100),
        ("store", 200, 210),
        ("store", 350, 380),
        ("queue", 380, 470),
        ("context", 470, 500),
        ("store", 800, 900),
    }
    # The way to a round is told with it and with the one before; in a ledger it counts once.
    ledger = make_ledger(
        [part for found in trace_rounds.rounds(turn.trace) for part in between(found)],
        turn.at(0),
        turn.at(900),
    )
    assert sum(item.tenths for item in ledger.items) == 1000
    assert {str(item.kind): item.length // timedelta(milliseconds=1) for item in ledger.items} == {
        "queue": 110,
        "context": 60,
        "store": 140,
        "ours": 590,
    }


def test_whoever_was_not_rung_for_waited_for_a_worker(turn: ATurn) -> None:
    turn.a_round(1, (0, 500))
    turn.a_generation({}, (0, 200))
    a_round(turn, 2, (500, 900), rung=None)
    assert ("queue", 200, 470) in spent(turn)


@pytest.mark.parametrize("noted", [None, "x", {"rung": 5, "step": "soon"}, {}])
def test_of_a_round_that_notes_nothing_nothing_is_told_before_it(
    turn: ATurn, noted: object
) -> None:
    turn.a_round(1, (0, 500))
    turn.a_generation({}, (0, 200))
    turn.a_round(2, (500, 900), attributes={"taken_up": noted})
    assert spent(turn) == []


def test_while_a_call_runs_nothing_is_stored_yet(turn: ATurn) -> None:
    turn.a_round(1, (0, None))
    turn.a_generation({}, (0, 200))
    turn.a_call({}, (210, None), 1, status="sent")
    assert spent(turn) == [("store", 200, 210)]
