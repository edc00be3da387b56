"""Everything is told to end, and is started again: turns go on."""

import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests.faults.calling import call, speaking, task
from tests.faults.conftest import CALLS, DELEGATES_LONG, LASTING
from tests.faults.product import Product, wait_for
from tests.faults.stories import LastWords, Stage, Told, named, tell

pytestmark = pytest.mark.process

SUM = 'call calculate {"expr": "6*7"}'
LINE = "told to end"


def an_answer_is_written_to_the_end(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[LASTING])
    tab.until_text(key, 100)
    yield None
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert tab.shown(key).texts == ledger.texts(key)


def a_call_is_not_repeated(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[CALLS], call("once", LINE, 60))
    wait_for(lambda: LINE in stage.product.written("once"))
    yield None
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "tool") == ["outcome_unknown"]
    assert stage.product.written("once").count(LINE) == 1


def a_tree_of_subagents_goes_on(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[DELEGATES_LONG], f"{task('one')}\n{task(SUM)}")
    speaking(ledger, key, 1)
    yield None
    tab.until_over(key)
    assert ledger.assert_tree_sound(key).status == "done"
    assert ledger.statuses(key, "tool") == ["succeeded", "succeeded"]


STORIES = named(
    an_answer_is_written_to_the_end, a_call_is_not_repeated, a_tree_of_subagents_goes_on
)


def start_again(product: Product) -> float:
    product.stop()
    product.start()
    return time.monotonic()


@pytest.fixture(scope="module")
def told(running: Product) -> Told:
    running.make_whole()
    return tell(running, STORIES, partial(start_again, running))


@pytest.mark.parametrize("story", STORIES)
def test_a_product_that_was_stopped(told: Told, story: str) -> None:
    told[story].result()
