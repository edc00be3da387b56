"""Sockets and web processes that go away, and people who press Stop."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.browser import Browser
from tests.faults.conftest import LONG, QUICK, SILENT, STALLED, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product
from tests.slowness import slowness

pytestmark = pytest.mark.process

Open = Callable[..., Browser]
Note = Callable[[str, object], None]


def test_a_network_that_is_cut_again_and_again_loses_no_text(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    for length in range(100, 1100, 100):
        tab.until_text(key, length)
        tab.cut()
    tab.until_over(key)
    ledger.assert_sound(key)
    assert tab.shown(key).texts == ledger.texts(key)
    assert tab.reopened == 0
    assert not [frame for frame in tab.frames if frame["type"] == "snapshot"]


def test_two_tabs_and_one_that_comes_late_see_the_same(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    first, second, late = browser(), browser(), browser()
    key = first.send(product.models[STEADY])
    second.accepted, late.accepted = dict(first.accepted), dict(first.accepted)
    second.follow(first.conversation or "")
    first.until_text(key, 300)
    late.follow(first.conversation or "")
    for tab in (first, second, late):
        tab.until_over(key)
        assert tab.shown(key).texts == ledger.texts(key)
        assert tab.reopened == 0


def test_a_message_that_is_sent_again_after_a_cut_is_one_turn(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[QUICK])
    tab.until_over(key)
    tab.cut()
    tab.accepted.clear()
    tab.send(product.models[QUICK], key=key)
    assert ledger.assert_sound(key).status == "done"


def test_the_same_key_from_ten_tabs_at_once_is_one_turn(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tabs = [browser() for _ in range(10)]
    with ThreadPoolExecutor(10) as people:
        list(people.map(lambda tab: tab.send(product.models[QUICK], key="ten-at-once"), tabs))
    assert len({tab.accepted["ten-at-once"]["turn"] for tab in tabs}) == 1
    tabs[0].until_over("ten-at-once")
    ledger.assert_sound("ten-at-once")


@pytest.mark.parametrize("name", [LONG, SILENT, STALLED])
def test_stop_ends_a_turn_within_two_seconds_and_the_call_with_it(
    product: Product, browser: Open, ledger: Ledger, record_property: Note, name: str
) -> None:
    before = len(product.stub.completions)
    tab = browser()
    key = tab.send(product.models[name])
    product.stub.wait_for(lambda asked: len(asked) > before)
    if name != SILENT:
        tab.until_text(key, 10)
    asked = time.monotonic()
    tab.stop(key)
    over = tab.until_over(key)
    record_property("stop_s", round(over - asked, 2))
    assert over - asked < 2 * slowness(time.monotonic)
    assert ledger.assert_sound(key).status == "stopped"
    assert tab.shown(key).text == "".join(ledger.texts(key))
    assert product.stub.wait_for(lambda asked: asked[-1].ended_us)[-1].cut


def test_a_frame_that_is_too_large_closes_only_its_socket(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab, other = browser(), browser()
    pid = product.pid("web")
    other.send(product.models[QUICK])
    tab.post(product.models[QUICK], "x" * 2**20, key="too-large")
    tab.until(lambda: tab.close_code == 1009)
    assert not ledger.turns("too-large")
    other.until_over(next(iter(other.accepted)))
    assert product.pid("web") == pid
