"""Answers side by side while processes are killed: each of them goes on, whole."""

import uuid
from collections.abc import Callable

import pytest

from chat.commands.comparisons import key_of
from tests.faults.browser import Browser
from tests.faults.conftest import LONG, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product

pytestmark = pytest.mark.process

Open = Callable[..., Browser]


def compared(product: Product, tab: Browser) -> tuple[str, str]:
    """The keys of two answers that are written at the same time."""
    models = [product.models[name] for name in (STEADY, LONG)]
    key = tab.send(models[0], compare=[{"model": model} for model in models])
    tab.until(lambda: len(tab.turns) == 2)
    (other,) = set(tab.turns) - {tab.accepted[key]["turn"]}
    tab.accepted[key_of(key, 1)] = {"turn": other}
    return key, key_of(key, 1)


def test_a_worker_killed_during_two_answers_writes_both_to_the_end(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    keys = compared(product, tab)
    for key in keys:
        tab.until_text(key, 100)
    product.kill("turns")
    tab.until(lambda: all(tab.shown(key).epoch == 2 for key in keys))
    tab.until_over(keys[0])
    tab.stop(keys[1])
    tab.until_over(keys[1])
    assert [ledger.assert_sound(key).status for key in keys] == ["done", "stopped"]
    for key in keys:
        assert ledger.statuses(key, "generation")[0] == "superseded"
    assert tab.shown(keys[0]).texts == ledger.texts(keys[0])
    assert tab.reopened == 0


def test_a_web_process_killed_during_two_answers_shows_the_same_texts_afterwards(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    first, second = compared(product, tab)
    tab.until_text(first, 100)
    product.kill("web")
    tab.until_over(first)
    tab.stop(second)
    tab.until_over(second)
    assert tab.shown(first).texts == ledger.texts(first)
    assert ledger.assert_sound(second).status == "stopped"
    again = tab.post(product.models[STEADY], "Go on.", f"{uuid.uuid4()}")
    tab.until(lambda: any(frame.get("key") == again for frame in tab.frames))
    assert ledger.turns(again) == []
