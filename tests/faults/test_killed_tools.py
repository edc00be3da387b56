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


def calls_of_a_turn_at_the_same_time(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    lines = {server: f"{uuid.uuid4()}" for server in ENDINGS}
    calls = "\n".join(call(server, line, 60) for server, line in lines.items())
    key = tab.send(stage.product.models[CALLS], calls)
    wait_for(lambda: all(line in stage.product.written(at) for at, line in lines.items()))
    yield None
    over = tab.until_over(key)
    assert over - stage.fault_at < MOST_SECONDS
    assert ledger.assert_sound(key).status == "done"
    states = [state for state, _ in ENDINGS.values()]
    assert ledger.statuses(key, "tool") == states
    assert sorted(tab.shown(key).calls.values()) == sorted(states)
    for server, (_, runs) in ENDINGS.items():
        assert stage.product.written(server).count(lines[server]) == runs
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
    "calls_of_a_turn_at_the_same_time": calls_of_a_turn_at_the_same_time,
    **{f"a_call_of_a_subagent_of_{at}": partial(a_call_of_a_subagent, at) for at in ENDINGS},
}


@pytest.fixture(scope="module")
def told(running: Product) -> Told:
    running.make_whole()
    return tell(running, STORIES, partial(running.kill, "tools"))


@pytest.mark.parametrize("story", STORIES)
def test_a_killed_tools_worker(told: Told, story: str) -> None:
    told[story].result()
