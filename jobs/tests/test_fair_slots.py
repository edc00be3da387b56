"""Slots that users share: who is let in, who waits, and that nobody is forgotten."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from jobs.fair_slots import FairSlots

HOG, NEWCOMER = 1, 2


class Gate:
    """Work that goes on until it is opened."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.opened = threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.opened.wait(5)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def busy(threads: ThreadPoolExecutor) -> Iterator[tuple[FairSlots, list[Gate]]]:
    """Eight slots, and one user who asks for all of them."""
    slots, gates = FairSlots(8), [Gate() for _ in range(8)]
    running = [threads.submit(slots.run, HOG, key, gates[key]) for key in range(4)]
    assert all(gate.begun.wait(5) for gate in gates[:4])
    for key in range(4, 8):
        slots.run(HOG, key, gates[key])
    yield slots, gates
    for gate in gates:
        gate.opened.set()
    for one in running:
        one.result(5)
    assert all(gate.begun.wait(5) for gate in gates)


def test_one_user_alone_gets_half(busy: tuple[FairSlots, list[Gate]]) -> None:
    slots, gates = busy
    assert [gate.begun.is_set() for gate in gates] == [True] * 4 + [False] * 4
    assert all(slots.is_waiting(key) for key in range(4, 8))


def test_a_newcomer_begins_at_once(
    busy: tuple[FairSlots, list[Gate]], threads: ThreadPoolExecutor
) -> None:
    slots, _ = busy
    newcomer = Gate()
    newcomer.opened.set()
    threads.submit(slots.run, NEWCOMER, 100, newcomer).result(5)
    assert newcomer.begun.is_set()


def test_what_waits_begins_when_a_slot_is_free(busy: tuple[FairSlots, list[Gate]]) -> None:
    _, gates = busy
    gates[0].opened.set()
    assert gates[4].begun.wait(5)


def test_the_same_work_waits_once(busy: tuple[FairSlots, list[Gate]]) -> None:
    slots, gates = busy
    twice = Gate()
    slots.run(HOG, 7, twice)
    assert slots.is_waiting(7)
    for gate in gates:
        gate.opened.set()
    assert gates[7].begun.wait(5)
    assert not twice.begun.is_set()


def test_work_that_fails_gives_its_slot_back() -> None:
    slots, done = FairSlots(2), threading.Event()
    slots.run(HOG, 1, lambda: 1 / 0)
    slots.run(HOG, 2, done.set)
    assert done.is_set()


def test_many_users_and_works_all_come_to_their_end(threads: ThreadPoolExecutor) -> None:
    slots, done = FairSlots(3), list[int]()
    asked = [
        threads.submit(slots.run, number % 5, number, partial(done.append, number))
        for number in range(500)
    ]
    for one in asked:
        one.result(5)
    assert sorted(done) == list(range(500))
