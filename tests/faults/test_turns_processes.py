"""Two `turns` processes, forked from one."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from host.processes import PARENT, stats
from tests.faults.browser import Browser
from tests.faults.conftest import QUICK, STEADY
from tests.faults.ledger import Ledger
from tests.faults.product import Product, running_product, wait_for

pytestmark = pytest.mark.process

PROCESSES = 2


@pytest.fixture(scope="module")
def product(migrated: Path | None) -> Iterator[Product]:
    with running_product([STEADY, QUICK], migrated, TURNS_PROCESSES=str(PROCESSES)) as running:
        yield running


@pytest.fixture
def tab(product: Product) -> Iterator[Browser]:
    with ExitStack() as stack:
        yield stack.enter_context(Browser(product.url, product.cookies["owner"]))


def forks(product: Product) -> set[int]:
    parent = str(product.pid("turns"))
    return {pid for pid, fields in stats().items() if fields[PARENT] == parent}


def test_one_that_is_killed_in_mid_generation_is_replaced_and_the_other_takes_its_turn(
    product: Product, tab: Browser
) -> None:
    ledger = Ledger(product.home)
    parent, before = product.pid("turns"), forks(product)
    assert len(before) == PROCESSES
    key = tab.send(product.models[STEADY])
    tab.until_text(key, 200)
    killed = int(ledger.owner(key).split(":")[1])
    assert killed in before
    os.kill(killed, signal.SIGKILL)
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "generation") == ["superseded", "succeeded"]
    assert tab.shown(key).texts == ledger.texts(key)
    wait_for(lambda: len(forks(product)) == PROCESSES)
    assert product.pid("turns") == parent
    assert forks(product) & before == before - {killed}


def test_both_end_with_the_process_that_made_them(product: Product, tab: Browser) -> None:
    before = forks(product)
    product.kill("turns")
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in before))
    key = tab.send(product.models[QUICK])
    tab.until_over(key)
    assert Ledger(product.home).assert_sound(key).status == "done"


def test_both_end_with_the_product(product: Product) -> None:
    wait_for(lambda: len(forks(product)) == PROCESSES)
    before = forks(product)
    product.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in before)
