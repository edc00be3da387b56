"""Subagents whose workers are killed: the tree goes on, and every call has one result."""

import json
import random
import time
from collections.abc import Callable

import pytest
import redis

from tests.faults.browser import Browser
from tests.faults.conftest import DELEGATES
from tests.faults.ledger import Ledger
from tests.faults.product import Product, wait_for

pytestmark = pytest.mark.process

Open = Callable[..., Browser]
LONGEST = 90.0
SUM = 'call calculate {"expr": "6*7"}'


def task(prompt: str) -> str:
    return "call task " + json.dumps({"prompt": prompt})


def call(server: str, line: str, seconds: float) -> str:
    return f"call {server}-write {json.dumps({'line': line, 'seconds': seconds})}"


def speaking(ledger: Ledger, key: str, count: int) -> list[str]:
    """The keys of its subagents, as soon as so many have a model that is called."""

    def called() -> list[str]:
        keys = ledger.nested(key)
        states = [ledger.statuses(one, "generation") for one in keys]
        return keys if sum("running" in some for some in states) >= count else []

    found: list[str] = wait_for(called)
    return found


def test_a_worker_killed_while_subagents_speak_is_replaced(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[DELEGATES], f"{task('one')}\n{task('two')}")
    inner = speaking(ledger, key, 2)
    product.kill("turns")
    tab.until_over(key, LONGEST)
    assert ledger.assert_tree_sound(key).status == "done"
    assert ledger.nested(key) == inner
    assert {ledger.turn(one).status for one in inner} == {"done"}
    assert ledger.statuses(key, "tool") == ["succeeded", "succeeded"]


@pytest.mark.parametrize(("server", "state"), [("again", "succeeded"), ("once", "outcome_unknown")])
def test_a_worker_killed_in_a_subagent_s_call(
    product: Product, browser: Open, ledger: Ledger, server: str, state: str
) -> None:
    tab = browser()
    line = f"nested {server}"
    key = tab.send(product.models[DELEGATES], task(call(server, line, 5)))
    wait_for(lambda: line in product.written(server))
    product.kill("tools")
    tab.until_over(key, LONGEST)
    assert ledger.assert_tree_sound(key).status == "done"
    (inner,) = ledger.nested(key)
    assert ledger.statuses(inner, "tool") == [state]


def test_a_tree_goes_on_after_everything_was_told_to_end(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[DELEGATES], f"{task('one')}\n{task(SUM)}")
    speaking(ledger, key, 1)
    product.stop()
    product.start()
    tab.until_over(key, LONGEST)
    assert ledger.assert_tree_sound(key).status == "done"
    assert ledger.statuses(key, "tool") == ["succeeded", "succeeded"]


def test_stop_of_a_tree_whose_worker_is_killed_is_heard(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[DELEGATES], f"{task('one')}\n{task('two')}")
    inner = speaking(ledger, key, 2)
    tab.stop(key)
    product.kill("turns")
    # What was committed just before the kill may never have been announced.
    wait_for(lambda: {ledger.turn(one).status for one in (key, *inner)} == {"stopped"}, LONGEST)
    assert ledger.assert_tree_sound(key).status == "stopped"


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_dies_every_call_has_one_result(
    product: Product, browser: Open, ledger: Ledger, seed: int
) -> None:
    chance = random.Random(seed)
    prompts = [SUM, f"{SUM}\nthen\n{SUM}", call("again", f"chaos {seed}", 0.5), "only talk"]
    tabs = [browser() for _ in range(3)]
    keys = [
        tab.send(product.models[DELEGATES], "\n".join(map(task, chance.sample(prompts, 3))))
        for tab in tabs
    ]
    for _ in range(5):
        time.sleep(chance.uniform(0.2, 2.0))
        what = chance.choice(["turns", "tools", "both", "flush"])
        if what == "flush":
            with redis.Redis.from_url(product.redis.url) as client:
                client.flushall()
        for name in ("turns", "tools"):
            if what in (name, "both"):
                product.kill(name)
    for tab, key in zip(tabs, keys, strict=True):
        tab.until_over(key, LONGEST)
        assert ledger.assert_tree_sound(key).status == "done"
        assert len(ledger.nested(key)) == 3
