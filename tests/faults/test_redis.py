"""A Redis that is killed, comes back empty, or is not there."""

from collections.abc import Callable

import pytest

from tests.faults.browser import Browser
from tests.faults.calling import call
from tests.faults.conftest import CALLS, QUICK, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for

pytestmark = pytest.mark.process

Open = Callable[..., Browser]
Note = Callable[[str, object], None]


def test_a_redis_that_comes_back_empty_in_mid_stream_loses_no_text(
    product: Product, browser: Open, ledger: Ledger, record_property: Note
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    length = len(tab.shown(key).text)
    product.redis.restart()
    began = tab.until(lambda: True)
    back = tab.until_text(key, length + 100)
    record_property("recovery_s", round(back - began, 1))
    tab.until_over(key)
    assert ledger.assert_sound(key).epoch == 1
    assert tab.shown(key).texts == ledger.texts(key)


def test_a_message_sent_while_redis_is_down_is_kept_and_answered(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    tab.until_over(tab.send(product.models[QUICK]))
    product.redis.kill()
    tab.until(lambda: _noticed(tab, "redis_down"))
    key = tab.send(product.models[QUICK])
    wait_for(lambda: ledger.turn(key).status == "done")
    product.redis.start()
    tab.until(lambda: _noticed(tab, "redis_up"))
    tab.until_over(key)
    ledger.assert_sound(key)


def test_a_stream_goes_on_when_redis_comes_back(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    product.redis.kill()
    tab.until(lambda: _noticed(tab, "redis_down"))
    product.redis.start()
    tab.until_text(key, 400)
    tab.until_over(key)
    assert ledger.assert_sound(key).epoch == 1
    assert tab.shown(key).texts == ledger.texts(key)


def test_a_call_that_is_asked_for_while_redis_is_down_is_run(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    tab.until_over(tab.send(product.models[QUICK]))
    product.redis.kill()
    key = tab.send(product.models[CALLS], call("once", "without redis", 0))
    wait_for(lambda: ledger.turn(key).status == "done")
    assert product.written("once").count("without redis") == 1
    product.redis.start()
    tab.until_over(key)
    ledger.assert_sound(key)


def test_the_product_starts_without_redis_and_finds_it_later(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    product.stop()
    product.redis.kill()
    product.launch()
    wait_for(product.answers)
    tab = browser()
    key = tab.send(product.models[QUICK])
    product.redis.start()
    wait_for(lambda: ledger.turn(key).status == "done")
    tab.until_over(key)
    ledger.assert_sound(key)


def _noticed(tab: Browser, code: str) -> bool:
    return any(frame.get("code") == code for frame in tab.frames)
