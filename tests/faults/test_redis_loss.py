"""A Redis that loses its data while it runs: emptied, or single keys of it evicted."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
import redis

from tests.faults.browser import Browser
from tests.faults.conftest import CALLS, STALLED, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for
from tests.faults.test_workers import call
from tests.ports import free_port
from tests.redis_server import RedisServer

Open = Callable[..., Browser]
# Generous: a loss is noticed within 2 s, and rings are repeated within 10 s.
NOTICED_S, HELD_UP_S = 10.0, 15.0


def lose(product: Product, what: str) -> None:
    """Everything for "", else the keys of this pattern."""
    with redis.Redis.from_url(product.redis.url) as client:
        if what:
            keys = list(client.scan_iter(what, count=10_000))
            assert keys
            client.delete(*keys)
        else:
            client.flushall()


@pytest.mark.parametrize("what", ["", "rt:log:*", "rt:run:*", "rt:run:*:content"])
def test_data_lost_in_mid_text_leave_every_tab_with_the_stored_text(
    product: Product, browser: Open, ledger: Ledger, what: str
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    lose(product, what)
    second = follower(browser, tab, key)
    for each in (tab, second):
        each.until_over(key)
        assert each.shown(key).texts == ledger.texts(key)
    assert ledger.assert_sound(key).epoch == 1


@pytest.mark.parametrize("what", ["", "rt:log:*", "rt:run:*"])
def test_the_text_of_a_silent_model_is_shown_again(
    product: Product, browser: Open, ledger: Ledger, what: str
) -> None:
    tab = browser()
    key = tab.send(product.models[STALLED])
    text = until_silent(tab, key)
    lose(product, what)
    second = follower(browser, tab, key)
    for each in (second, tab):
        each.until(partial(shows, each, key, text), NOTICED_S)
    tab.stop(key)
    tab.until_over(key)
    ledger.assert_sound(key)
    assert ledger.texts(key) == [text]


def until_silent(tab: Browser, key: str) -> str:
    """The text after which the model says nothing more."""
    while True:
        count = len(tab.frames)
        try:
            tab.until(lambda: len(tab.frames) > count, 1.5)  # noqa: B023
        except TimeoutError:
            if text := tab.shown(key).text:
                return text


def shows(tab: Browser, key: str, text: str) -> bool:
    return tab.shown(key).text == text


def follower(browser: Open, tab: Browser, key: str) -> Browser:
    """A second tab that opens the conversation of the first."""
    second = browser()
    second.accepted[key] = tab.accepted[key]
    second.follow(str(tab.conversation))
    return second


def test_a_call_is_not_held_up_by_data_lost_while_it_runs(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[CALLS], call("once", "lost while it runs", 3))
    wait_for(lambda: "lost while it runs" in product.written("once"))
    lose(product, "")
    tab.until_over(key, HELD_UP_S)
    assert ledger.assert_sound(key).status == "done"
    assert product.written("once").count("lost while it runs") == 1


def test_a_call_that_waits_for_approval_outlives_lost_data(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[CALLS], call("asks", "approved later", 0))
    tab.until(lambda: "awaiting_approval" in tab.shown(key).calls.values())
    lose(product, "")
    second = follower(browser, tab, key)
    second.until(lambda: "awaiting_approval" in second.shown(key).calls.values(), NOTICED_S)
    (waiting,) = second.shown(key).calls
    second.write({"type": "decide", "call": waiting, "decision": "approve"})
    for each in (second, tab):
        each.until_over(key, HELD_UP_S)
    assert ledger.assert_sound(key).status == "done"
    assert product.written("asks") == ["approved later"]


def test_a_replica_that_takes_over_without_the_latest_writes_loses_no_text(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 150)
    with RedisServer(f"redis://127.0.0.1:{free_port()}/0") as replica:
        replica.follow(product.redis)
        replica.promote()  # from here on it has none of the writes
        tab.until_text(key, len(tab.shown(key).text) + 100)
        product.redis.restart()
        product.redis.follow(replica)
        product.redis.promote()
    second = follower(browser, tab, key)
    for each in (tab, second):
        each.until_over(key)
        assert each.shown(key).texts == ledger.texts(key)
    assert ledger.assert_sound(key).epoch == 1


def test_a_call_whose_ring_is_lost_is_run(product: Product, browser: Open, ledger: Ledger) -> None:
    tab = browser()
    with losing_everything(product):
        key = tab.send(product.models[CALLS], call("once", "ring lost", 0))
        wait_for(lambda: ledger.turn(key).status == "done", HELD_UP_S)
    tab.until_over(key)
    ledger.assert_sound(key)
    assert product.written("once").count("ring lost") == 1


@contextmanager
def losing_everything(product: Product) -> Iterator[None]:
    """Meanwhile Redis loses everything, hundreds of times a second."""
    over = threading.Event()

    def lose_all() -> None:
        with redis.Redis.from_url(product.redis.url) as client:
            while not over.wait(0.002):
                client.flushall()

    thread = threading.Thread(target=lose_all)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
