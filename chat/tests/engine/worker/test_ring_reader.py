"""The reader of rings: what is rung is advanced, whatever became of Redis meanwhile."""

import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from chat import doorbell
from chat.doorbell import TurnRing
from chat.engine.worker.identity import process_name
from chat.engine.worker.ring_reader import RingReader
from db.redis_pool import client
from jobs.ring import OWNER_RINGS, TURN_RINGS
from tests import patience
from tests.redis_server import RedisServer

Answered = tuple[int, float | None, int]


@contextmanager
def reading(answered: "queue.SimpleQueue[Answered]", threads: int = 2) -> Iterator[RingReader]:
    def advance(turn_id: int, rung: float | None, user_id: int) -> None:
        answered.put((turn_id, rung, user_id))
        if turn_id == 13:
            raise ValueError("a defect")

    reader = RingReader(advance, threads)
    reader.start()
    try:
        yield reader
    finally:
        reader.close()


@pytest.fixture
def answered(redis_server: RedisServer) -> "queue.SimpleQueue[Answered]":
    return queue.SimpleQueue()


def test_a_ring_is_answered_with_its_moment_and_its_user(
    answered: "queue.SimpleQueue[Answered]",
) -> None:
    with reading(answered):
        doorbell.ring_turn(7, 3)
        turn_id, rung, user_id = answered.get(timeout=patience.SECONDS)
    assert (turn_id, user_id) == (7, 3)
    assert rung is not None and abs(time.time() - rung) < 60


def test_a_process_hears_what_is_rung_for_it_alone(
    answered: "queue.SimpleQueue[Answered]",
) -> None:
    with reading(answered):
        doorbell.ring_owner("another process", 8)
        doorbell.ring_owner(process_name(), 9)
        assert answered.get(timeout=patience.SECONDS)[0] == 9
    assert answered.empty()
    assert client().llen(OWNER_RINGS.format(owner="another process")) == 1


def test_rings_are_answered_in_their_order(answered: "queue.SimpleQueue[Answered]") -> None:
    for turn_id in range(1, 6):
        doorbell.ring_turn(turn_id)
    with reading(answered, threads=1):
        assert [answered.get(timeout=patience.SECONDS)[0] for _ in range(5)] == [1, 2, 3, 4, 5]


def test_a_ring_goes_to_one_of_two_processes(answered: "queue.SimpleQueue[Answered]") -> None:
    with reading(answered), reading(answered):
        for turn_id in range(1, 21):
            doorbell.ring_turn(turn_id)
        turns = [answered.get(timeout=patience.SECONDS)[0] for _ in range(20)]
    assert sorted(turns) == list(range(1, 21))
    assert answered.empty()


def test_the_next_ring_is_heard_after_a_defect_and_after_an_entry_that_is_no_ring(
    answered: "queue.SimpleQueue[Answered]",
) -> None:
    with reading(answered):
        doorbell.ring_turn(13)
        client().rpush(TURN_RINGS, "ding")
        doorbell.ring_turn(14)
        assert [answered.get(timeout=patience.SECONDS)[0] for _ in range(2)] == [13, 14]


def test_rings_are_heard_again_when_redis_is_back(
    answered: "queue.SimpleQueue[Answered]", redis_server: RedisServer
) -> None:
    with reading(answered):
        redis_server.kill()
        doorbell.ring_turn(1)  # lost: the reaper's work
        redis_server.start()
        doorbell.ring_turn(2)
        assert answered.get(timeout=patience.SECONDS)[0] == 2


def test_a_ring_that_comes_while_the_process_ends_is_left_to_others(
    answered: "queue.SimpleQueue[Answered]",
) -> None:
    with reading(answered) as reader:
        reader.stop()
        doorbell.ring_turn(5, 3)
    waiting = client().lrange(TURN_RINGS, 0, -1)
    assert isinstance(waiting, list)
    assert [TurnRing.decode(entry)[:2] for entry in waiting] == [(5, 3)]
    assert answered.empty()


def test_a_ring_without_redis_is_no_error() -> None:
    doorbell.ring_turn(1)
