"""Subagents whose workers are killed: the tree goes on, and every call has one result."""

import random
import time
from collections.abc import Callable

import pytest
import redis

from tests.faults.browser import Browser
from tests.faults.calling import call, task
from tests.faults.conftest import DELEGATES
from tests.faults.ledger import Ledger
from tests.faults.product import Product

pytestmark = pytest.mark.process

Open = Callable[..., Browser]
LONGEST = 90.0
SUM = 'call calculate {"expr": "6*7"}'


# The second one is no other promise, it kills at other moments.
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.campaign)])
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
