"""A killed `tools` worker: a call that was cut is run again where it may be, else its outcome is
unknown."""

import uuid
from collections.abc import Iterator
from functools import partial

import pytest

from tests.faults.calling import MOST_SECONDS, call, task
from tests.faults.conftest import CALLS, DELEGATES
from tests.faults.product import Product, wait_for
from tests.faults.stories import LastWords, Stage, Story, Told, tell

pytestmark = pytest.mark.process

# By the server that has the call: the state in which it ends, and how often it was run.
ENDINGS = {"once": ("outcome_unknown", 1), "again": ("succeeded", 2)}


def a_call_of_a_turn(server: str, stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    state, runs = ENDINGS[server]
    line = f"{uuid.uuid4()}"
    key = tab.send(stage.product.models[CALLS], call(server, line, 60))
    wait_for(lambda: line in stage.product.written(server))
    yield None
    over = tab.until_over(key)
    assert over - stage.fault_at < MOST_SECONDS
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "tool") == [state]
    assert list(tab.shown(key).calls.values()) == [state]
    assert stage.product.written(server).count(line) == runs
    assert tab.shown(key).texts[-1:] == ledger.texts(key)[-1:]


def a_call_of_a_subagent(server: str, stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    line = f"{uuid.uuid4()}"
    key = tab.send(stage.product.models[DELEGATES], task(call(server, line, 60)))
    wait_for(lambda: line in stage.product.written(server))
    yield None
    tab.until_over(key)
    assert ledger.assert_tree_sound(key).status == "done"
    (inner,) = ledger.nested(key)
    assert ledger.statuses(inner, "tool") == [ENDINGS[server][0]]


STORIES: dict[str, Story] = {
    f"{story.__name__}_of_{server}": partial(story, server)
    for story in (a_call_of_a_turn, a_call_of_a_subagent)
    for server in ENDINGS
}


@pytest.fixture(scope="module")
def told(running: Product) -> Told:
    running.make_whole()
    return tell(running, STORIES, partial(running.kill, "tools"))


@pytest.mark.parametrize("story", STORIES)
def test_a_killed_tools_worker(told: Told, story: str) -> None:
    told[story].result()
