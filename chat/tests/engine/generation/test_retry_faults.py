"""Attempts and the waits between them: visible, stoppable, and not lost with their worker."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from pytest_django.fixtures import Settings

from benchmarks.stub import Stub
from chat.engine.worker.running_turns import Cut, running_turns
from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import (
    Model,
    Send,
    advancing,
    any_protocol,
    attempts,
    cells,
    goes_on,
    stop,
    wait_for,
)
from tracing.models import Span

pytestmark = pytest.mark.long

NAMES = [
    *("f500", "f502", "f503", "f529", "f429-w0"),
    *("freset", "fbadutf8", "fempty", "fstall", "fdrop", "ferror"),
]
PASSING = dict(zip(NAMES, NAMES, strict=True))
# Which statuses pass is in chat/tests/llm/test_failures.py.
ALIKE = {"f502", "f503", "f529"}
# How a provider asks for a pause, and the milliseconds that are waited.
PAUSES = {"w60": 60_000, "w60-wdate": 60_000, "w7000-wms": 7_000}


@pytest.fixture(autouse=True)
def in_a_hurry(settings: Settings) -> None:
    settings.RETRY_SECONDS = 0.01
    settings.MODEL_IDLE_SECONDS = 0.5


def waiting(turn: Turn) -> Span | None:
    """The attempt after which the turn waits for the next."""
    return next((span for span in attempts(turn) if span.retry_at is not None), None)


@cells("fault", PASSING, completions=PASSING.keys() - ALIKE, messages={"f529", "ferror"})
def test_a_failure_that_passes_is_an_attempt_before_the_answer(
    model: Model, send: Send, fault: str
) -> None:
    turn = answer_rings(send(model(f"stub-s5-{fault}-x1")))
    good = answer_rings(send(model("stub-s5")))
    assert (turn.status, turn.error) == (Turn.Status.DONE, "")
    assert [span.status for span in attempts(turn)] == ["failed", "succeeded"]
    assert turn.answer is not None and good.answer is not None
    assert turn.answer.body["content"] == good.answer.body["content"]


@any_protocol
@pytest.mark.parametrize(("pause", "milliseconds"), PAUSES.items())
def test_the_pause_that_a_provider_asks_for_is_kept_and_can_be_stopped(
    model: Model, send: Send, pause: str, milliseconds: int
) -> None:
    turn = send(model(f"stub-f429-{pause}"))
    with advancing(turn) as ended:
        wait_for(lambda: waiting(turn))
        stop(turn)
        assert ended(2).status == Turn.Status.STOPPED
    (span,) = attempts(turn)
    assert milliseconds - 2_000 < span.attributes["retry_in_ms"] <= milliseconds
    assert goes_on(turn, model, send)


@any_protocol
def test_pauses_grow_where_the_provider_asks_for_none(
    model: Model, send: Send, settings: Settings
) -> None:
    settings.RETRY_SECONDS = 0.02
    turn = answer_rings(send(model("stub-f503")))
    pauses = [span.attributes.get("retry_in_ms") for span in attempts(turn)]
    assert pauses.pop() is None
    for pause, least in zip(pauses, (20, 40, 80), strict=True):
        assert pause is not None and least <= pause <= 1.25 * least + 1


@any_protocol
def test_a_worker_that_stops_during_the_pause_loses_nothing_of_it(
    model: Model, send: Send, stub: Stub
) -> None:
    turn = send(model("stub-s5-f429-w60-x1"))
    before = len(stub.completions)
    with advancing(turn) as ended:
        wait_for(lambda: waiting(turn))
        for entry in running_turns.all():
            entry.interrupt(Cut.HANDOVER)
        assert ended(2).is_open
    at = _retry_at(turn)
    with advancing(turn) as ended:
        wait_for(lambda: running_turns.all())
        assert _retry_at(turn) == at
        assert len(stub.completions) == before + 1
        stop(turn)
        ended(2)


@any_protocol
def test_when_the_pause_is_over_the_next_worker_tries_at_once(model: Model, send: Send) -> None:
    turn = send(model("stub-s5-f429-w60-x1"), "what is asked nowhere else")
    with advancing(turn) as ended:
        wait_for(lambda: waiting(turn))
        for entry in running_turns.all():
            entry.interrupt(Cut.HANDOVER)
        ended(2)
    _let_time_pass(turn)
    assert answer_rings(turn).status == Turn.Status.DONE
    assert [span.status for span in attempts(turn)] == ["failed", "succeeded"]


def _retry_at(turn: Turn) -> object:
    span = waiting(turn)
    assert span is not None
    assert parse_datetime(span.attributes["retry_at"]) == span.retry_at
    return span.retry_at


def _let_time_pass(turn: Turn) -> None:
    span = waiting(turn)
    assert span is not None
    span.retry_at = timezone.now() - timedelta(seconds=1)
    span.save(update_fields=["retry_at"])
