"""One user's many open turns, and what somebody else notices of them."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection

from benchmarks.stub import Stub
from chat import turn_facts
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.turn.advance import advance, slots
from chat.engine.worker.worker_timer import unclaimed_turns
from chat.models import Turn
from chat.tests.engine.faulty import Model, Send, stop, wait_for
from tests import patience

pytestmark = pytest.mark.postgres

THREADS, TURNS = 4, 8


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadPoolExecutor]:
    """Of four threads."""
    monkeypatch.setattr(slots, "capacity", THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        yield pool


@pytest.fixture
def hog(model: Model, send: Send, stub: Stub, worker: ThreadPoolExecutor) -> Iterator[list[Turn]]:
    """A user with eight turns whose model says nothing."""
    before = len(stub.completions)
    opened = [send(model("stub-fsilent")) for _ in range(TURNS)]
    try:
        for turn in opened:
            worker.submit(_advance, turn)
        stub.wait_for(lambda asked: len(asked) == before + THREADS // 2)
        wait_for(lambda: slots.waiting == TURNS - THREADS // 2)
        yield opened
    finally:
        for turn in opened:
            turn_facts.stop(turn)
        wait_for(lambda: stop(opened[0]) or not Turn.objects.open().exists())


def _advance(turn: Turn) -> None:
    try:
        advance(turn.pk, None, turn.user_id)
    finally:
        connection.close()


def waiting(hog: list[Turn]) -> list[Turn]:
    return [turn for turn in hog if slots.is_waiting(turn.pk)]


def test_another_user_is_answered_at_once(
    hog: list[Turn], model: Model, worker: ThreadPoolExecutor
) -> None:
    newcomer = User.objects.create_user("newcomer")
    chosen = model("stub-n3").public_id
    turn = send_message(newcomer, NewMessage(key=str(uuid.uuid4()), text="hello", model_id=chosen))
    worker.submit(_advance, turn).result(patience.SECONDS)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.DONE


def test_a_turn_in_line_is_queued_and_is_not_rung_again(hog: list[Turn]) -> None:
    in_line = waiting(hog)
    for turn in in_line:
        turn.refresh_from_db()
    assert {turn.status for turn in in_line} == {Turn.Status.QUEUED}
    assert unclaimed_turns() == []


def test_stop_ends_a_turn_in_line_without_a_slot(hog: list[Turn]) -> None:
    turn = waiting(hog)[-1]
    turn_facts.stop(turn)
    assert unclaimed_turns() == [(turn.pk, turn.user_id)]
    advance(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.STOPPED


def test_the_next_turn_in_line_begins_when_one_ends(hog: list[Turn], stub: Stub) -> None:
    before, in_line = len(stub.completions), len(waiting(hog))
    running = next(turn for turn in hog if not slots.is_waiting(turn.pk))
    stop(running)
    stub.wait_for(lambda asked: len(asked) == before + 1)
    wait_for(lambda: slots.waiting < in_line)
    assert slots.waiting == in_line - 1
