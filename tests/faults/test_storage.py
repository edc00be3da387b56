"""A database that somebody else locks, and a disk that is full."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.chaos.faults import locked
from tests.chaos.grounds import Grounds, grounds
from tests.chaos.plan import CALLS, TALK
from tests.faults.browser import Browser, Frame
from tests.faults.ledger import Ledger
from tests.faults.test_workers import call

LOCKED_S = 10.0
TEXT, *_ = TALK


@pytest.fixture(scope="module")
def here() -> Iterator[Grounds]:
    with grounds(postgres=False) as made:
        yield made


@pytest.fixture
def ledger(here: Grounds) -> Ledger:
    return Ledger(here.product.home)


@pytest.fixture
def tab(here: Grounds) -> Iterator[Browser]:
    with Browser(here.product.url, here.product.cookies["owner"]) as tab:
        yield tab


@contextmanager
def locked_for(here: Grounds, seconds: float) -> Iterator[None]:
    """Another writer has the database for so long, while the block runs."""
    is_locked, is_over = threading.Event(), threading.Event()

    def lock() -> None:
        with locked(here):
            is_locked.set()
            is_over.wait(seconds)

    thread = threading.Thread(target=lock)
    thread.start()
    try:
        assert is_locked.wait(seconds)
        yield
    finally:
        thread.join()


def is_complaint(frame: Frame) -> bool:
    return frame["type"] in ("rejected", "error", "notice")


def test_a_database_that_is_locked_for_ten_seconds_is_no_error_to_anybody(
    here: Grounds, ledger: Ledger, tab: Browser
) -> None:
    models = here.product.models
    key = tab.send(models[TEXT])
    tab.until_text(key, 100)
    with Browser(here.product.url, here.product.cookies["owner"]) as other:
        with locked_for(here, LOCKED_S):
            late = other.send(models[CALLS], call("once", "while it was locked", 0))
            tab.until_over(key)
        other.until_over(late)
        assert other.close_code is None and not any(map(is_complaint, other.frames))
        assert other.shown(late).texts == ledger.texts(late)
    assert tab.close_code is None and not any(map(is_complaint, tab.frames))
    for one in (key, late):
        assert ledger.assert_sound(one).status == "done"
    assert tab.shown(key).texts == ledger.texts(key)


@pytest.fixture
def full(here: Grounds) -> Callable[[], None]:
    """Fills the disk of the home."""
    if here.disk is None:
        pytest.skip("no file system of its own can be mounted here")
    return here.fill_disk


def test_on_a_full_disk_messages_are_refused_in_a_sentence_and_nothing_is_lost(
    here: Grounds, ledger: Ledger, tab: Browser, full: Callable[[], None]
) -> None:
    models = here.product.models
    key = tab.send(models[TEXT])
    tab.until_text(key, 100)
    full()
    try:
        with Browser(here.product.url, here.product.cookies["owner"]) as other:
            refused = other.post(models[TEXT], "x" * 900_000)
            other.until(lambda: any(is_refusal(frame, refused) for frame in other.frames))
            (sentence,) = [f["error"] for f in other.frames if is_refusal(f, refused)]
            assert "disk is nearly full" in sentence
        assert not ledger.turns(refused)
    finally:
        here.free_disk()
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert tab.shown(key).texts == ledger.texts(key)
    later = tab.send(models[CALLS], call("once", "when there was room again", 0))
    tab.until_over(later)
    assert ledger.assert_sound(later).status == "done"


def is_refusal(frame: Frame, key: str) -> bool:
    return bool(frame["type"] == "rejected" and frame["key"] == key)
