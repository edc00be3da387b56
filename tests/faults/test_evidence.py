"""Every request that left is in a trace, and what was shown is kept, whatever kills a worker."""

import base64
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable

import pytest
import redis

from tests.chaos.tab_machine import violations
from tests.faults.browser import Browser
from tests.faults.conftest import DELEGATES, LONG, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import ROOT, Product, wait_for
from tests.faults.test_subagents import LONGEST, SUM, task

Open = Callable[..., Browser]
TABS = 3


def stored(product: Product) -> "Counter[bytes]":
    """The bodies of the requests in the traces, and how many attempts sent them."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.stored_requests"],
        cwd=ROOT,
        env=product.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return Counter(base64.b64decode(body) for _, body in json.loads(done.stdout))


def received(product: Product, after: int) -> "Counter[bytes]":
    """The bodies that the model's server received."""
    return Counter(one.body for one in product.stub.completions[after:])


def kill_in_the_first_second(product: Product, browser: Open, chance: random.Random) -> None:
    """Messages, a kill within a second, until all are answered."""
    tabs = [browser() for _ in range(TABS)]
    texts = [f"number {chance.random()}" for _ in tabs[1:]]
    keys = [tab.send(product.models[STEADY], text) for tab, text in zip(tabs, texts, strict=False)]
    # A subagent's requests, too.
    keys.append(tabs[-1].send(product.models[DELEGATES], task(SUM)))
    time.sleep(chance.uniform(0.0, 1.0))
    product.kill("turns")
    for tab, key in zip(tabs, keys, strict=True):
        tab.until_over(key, LONGEST)
        assert violations(tab.frames) == []


@pytest.mark.parametrize(("seed", "kills"), [(1, 3), pytest.param(2, 60, marks=pytest.mark.soak)])
def test_every_request_that_left_is_in_a_trace_to_the_byte(
    product: Product, browser: Open, seed: int, kills: int
) -> None:
    chance = random.Random(seed)
    before = len(product.stub.completions)
    for _ in range(kills):
        kill_in_the_first_second(product, browser, chance)
    arrived = received(product, before)
    assert arrived.total() > TABS * kills  # some were sent again
    assert arrived - stored(product) == Counter()


def test_a_turn_that_is_stopped_while_its_owner_is_dead_keeps_what_was_shown(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[LONG])
    tab.until_text(key, 100)
    os.kill(product.pid("turns"), signal.SIGKILL)
    tab.stop(key)
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "stopped"
    assert ledger.statuses(key, "generation") == ["superseded"]
    assert len(tab.shown(key).text) >= 100
    assert ledger.texts(key) == tab.shown(key).texts
    assert violations(tab.frames) == []
    product.wait_until_whole()


def test_a_turn_that_is_stopped_while_its_owner_is_suspended_keeps_what_was_shown(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[LONG])
    tab.until_text(key, 100)
    suspended = product.pid("turns")
    os.kill(suspended, signal.SIGSTOP)
    tab.stop(key)
    try:
        time.sleep(1)
    finally:
        os.kill(suspended, signal.SIGCONT)
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "stopped"
    assert ledger.texts(key) == tab.shown(key).texts
    assert violations(tab.frames) == []


def test_what_redis_has_lost_is_told_again_before_the_turn_is_stopped(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[LONG])
    tab.until_text(key, 100)
    with redis.Redis.from_url(product.redis.url) as client:
        client.flushall()
    tab.stop(key)
    tab.until_over(key)
    shown = tab.shown(key).text
    assert ledger.assert_sound(key).status == "stopped"
    assert ledger.texts(key)[0].startswith(shown)
    assert len(ledger.texts(key)[0]) >= 100
    assert violations(tab.frames) == []


def test_a_killed_worker_is_replaced_and_the_cut_attempt_has_what_was_shown(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 100)
    product.kill("turns")
    wait_for(lambda: ledger.statuses(key, "generation") == ["superseded", "running"])
    tab.until_over(key)
    (cut, _), _ = ledger.spans(key, "generation")
    assert ledger.stages(cut) == ["input", "output", "request"]
    assert violations(tab.frames) == []


def test_turns_inside_of_turns_keep_the_protocol_while_their_worker_is_killed(
    product: Product, browser: Open, ledger: Ledger
) -> None:
    tab = browser()
    key = tab.send(product.models[DELEGATES], f"{task('one')}\n{task('two')}")

    def begun() -> set[str]:
        return {one["conversation"] for one in tab.frames if one["type"] == "subagent"}

    tab.until(lambda: len(begun()) == 2)
    for conversation in begun():
        tab.write({"type": "watch", "conversation": conversation, "cursor": None})
    tab.until(lambda: _nested_text(tab) > 0)
    product.kill("turns")
    tab.until_over(key, LONGEST)
    assert ledger.assert_tree_sound(key).status == "done"
    assert violations(tab.frames) == []


def _nested_text(tab: Browser) -> int:
    """How many frames with text of subagents have come."""
    nested = [inner for one in tab.frames if one["type"] == "nested" for inner in one["frames"]]
    return sum(inner["type"] in ("delta", "text") for inner in nested)
