"""What the head of a trace that has not ended says it does or waits for."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tracing.journal import phases
from tracing.models import Action, Span, Trace
from tracing.page import versions
from tracing.tests.builders import ATurn, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn() -> ATurn:
    return ATurn(a_user())


def word(turn: ATurn) -> str:
    state = phases.state(turn.trace)
    assert state is not None
    return state.word


def a_call(turn: ATurn, status: str, number: int = 1, **noted: Any) -> Span:
    if turn.round is None:
        turn.a_round(1, (0, None), status="running")
    fields: dict[str, Any] = {"status": status, "attributes": noted}
    return turn.a_call({}, (20, None), number, **fields)


def test_before_its_first_step_it_is_queued(turn: ATurn) -> None:
    assert word(turn) == "queued"


def test_between_two_rounds_it_runs(turn: ATurn) -> None:
    turn.a_round(1, (0, 10))
    assert word(turn) == "running"


@pytest.mark.parametrize(
    ("status", "noted", "words"),
    [
        ("awaiting_approval", {}, "waiting for approval"),
        ("waiting", {}, "waiting for your input"),
        ("waiting", {"subagent": "x"}, "waiting for a subagent"),
        ("approved", {}, "running"),
        ("sent", {}, "running"),
    ],
)
def test_it_says_what_a_call_waits_for(
    turn: ATurn, status: str, noted: dict[str, Any], words: str
) -> None:
    a_call(turn, status, **noted)
    assert word(turn) == words


def test_a_person_is_named_also_while_another_call_runs(turn: ATurn) -> None:
    a_call(turn, "sent")
    a_call(turn, "awaiting_approval", 2)
    assert word(turn) == "waiting for approval"


def test_a_subagent_that_needs_approval_is_told_above_it(turn: ATurn) -> None:
    nested = turn.a_subagent(a_call(turn, "waiting"))
    deeper = nested.a_subagent(a_call(nested, "waiting"))
    a_call(deeper, "awaiting_approval")
    assert [word(one) for one in (turn, nested, deeper)] == ["waiting for approval"] * 3


def test_an_attempt_that_failed_is_waited_after(turn: ATurn) -> None:
    turn.start = timezone.now() - timedelta(milliseconds=50)
    turn.a_round(1, (0, None), status="running")
    noted = {"retry_in_ms": 60_000}
    turn.a_generation({}, (0, 10), status="failed", attributes=noted)
    assert word(turn) == "waiting to try again"


def test_a_summary_that_is_written_is_told(turn: ATurn) -> None:
    made = turn.span("compaction", 1, (0, None), parent=turn.root, status="running")
    assert word(turn) == "making room in the context"
    turn.span("generation", 1, (0, None), parent=made, status="running")
    assert word(turn) == "making room in the context"


def test_stop_is_told_until_it_has_stopped_and_changes_the_page(turn: ATurn) -> None:
    a_call(turn, "sent")
    before = versions.version(turn.trace)
    Action.objects.create(trace=turn.trace, kind="stop", user=turn.archive.owner)
    assert word(turn) == "stopping"
    assert versions.version(turn.trace) != before
    turn.end(100, "stopped")
    assert phases.state(turn.trace) is None


def test_head_row_and_list_of_turns_say_the_same(turn: ATurn, client: Client) -> None:
    a_call(turn, "awaiting_approval")
    client.force_login(turn.archive.owner)
    places = (f"/traces/{turn.trace.public_id}/", "/traces/", f"/traces/archives/{turn.archive}/")
    for place in places:
        assert b"waiting for approval</span>" in client.get(place).content


def test_the_open_round_says_it_too_and_one_that_is_over_does_not(
    turn: ATurn, client: Client
) -> None:
    turn.a_round(1, (0, 10))
    turn.a_round(2, (10, None), status="running")
    a_call(turn, "awaiting_approval")
    client.force_login(turn.archive.owner)
    heads = [
        client.get(f"/traces/{turn.trace.public_id}/rounds/{number}").content for number in (1, 2)
    ]
    assert [b"waiting for approval</span>" in head for head in heads] == [False, True]


def test_as_many_queries_for_many_as_for_one(turn: ATurn) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            phases.states(list(Trace.objects.all()))
        return len(captured)

    a_call(turn, "sent")
    one = queries()
    for _ in range(3):
        other = ATurn(a_user())
        other.a_subagent(a_call(other, "waiting"))
    assert queries() == one == 4
