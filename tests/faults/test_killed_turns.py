"""A killed `turns` worker: what it wrote, what waited for it and what was asked of it meanwhile."""

from collections.abc import Iterator
from functools import partial

import pytest

from chat.commands.comparisons import key_of
from tests.faults.calling import MOST_SECONDS, change, compared, must_change, speaking, task
from tests.faults.conftest import (
    DELEGATES_LONG,
    LASTING,
    LONG,
    PAUSE_MS,
    QUICK,
    WAITS,
)
from tests.faults.notes import a_note_goes_in_once
from tests.faults.product import Product, wait_for
from tests.faults.stories import LastWords, Stage, Told, named, tell

pytestmark = pytest.mark.process


def an_answer_in_mid_generation_is_written_anew_and_whole(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[LASTING])
    tab.until_text(key, 200)
    yield None
    back = tab.until(lambda: tab.shown(key).epoch == 2)
    assert back - stage.fault_at < MOST_SECONDS
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "generation") == ["superseded", "succeeded"]
    assert tab.shown(key).texts == ledger.texts(key)
    assert tab.reopened == 0


def a_retry_that_waits_loses_nothing_of_the_wait(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[WAITS])
    tab.until(lambda: [frame for frame in tab.frames if frame.get("retry_in_ms")])
    yield None
    tab.until_over(key)
    assert ledger.assert_sound(key).status == "done"
    assert ledger.statuses(key, "generation") == ["failed", "succeeded"]
    asked = stage.product.stub.completions
    first, second = (one for one in asked if WAITS.encode() in one.body)
    assert second.received_us - first.received_us >= PAUSE_MS * 1000


def a_turn_that_waited_begins_after_the_one_before_it(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    first = tab.send(stage.product.models[LONG])
    second = tab.send(stage.product.models[QUICK])
    tab.until_text(first, 50)
    yield None
    tab.until(lambda: tab.shown(first).epoch == 2)
    tab.until_text(first, 10)
    tab.stop(first)
    tab.until_over(first)
    tab.until_over(second)
    assert [ledger.assert_sound(key).status for key in (first, second)] == ["stopped", "done"]
    assert tab.shown(first).texts == ledger.texts(first)


def two_answers_side_by_side_are_both_written_to_the_end(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    keys = compared(stage.product, tab)
    for key in keys:
        tab.until_text(key, 100)
    yield None
    tab.until(lambda: all(tab.shown(key).epoch == 2 for key in keys))
    tab.until_over(keys[0])
    tab.stop(keys[1])
    tab.until_over(keys[1])
    assert keys[1] == key_of(keys[0], 1)
    assert [ledger.assert_sound(key).status for key in keys] == ["done", "stopped"]
    for key in keys:
        assert ledger.statuses(key, "generation")[0] == "superseded"
    assert tab.shown(keys[0]).texts == ledger.texts(keys[0])
    assert tab.reopened == 0


def messages_that_wait_are_answered_in_their_order(stage: Stage) -> Iterator[LastWords]:
    """One was moved and one withdrawn before, one edited afterwards."""
    product, tab, ledger = stage.product, stage.tab(), stage.ledger
    running = tab.send(product.models[LASTING])
    tab.until_text(running, 50)
    sent = [tab.send(product.models[QUICK], text) for text in ("a", "b", "c", "gone")]
    a, b, c, gone = sent
    turns = {key: tab.accepted[key]["turn"] for key in sent}
    assert change(product, turns[c], "move", before=turns[a]) == 200
    assert change(product, turns[gone], "withdraw") == 200
    yield None
    assert change(product, turns[b], "edit", text="B, edited") == 200
    for key in (running, c, a, b):
        tab.until_over(key)
        assert ledger.assert_sound(key).status == "done"
    assert [ledger.turn(key).pk for key in (running, c, a, b)] == sorted(
        ledger.turn(key).pk for key in (running, a, b, c)
    )
    assert ledger.messages(b)[0]["content"] == "B, edited"
    assert [len(ledger.texts(key)) for key in (running, a, b, c, gone)] == [1, 1, 1, 1, 0]


def a_message_sent_now_is_answered_once_and_first(stage: Stage) -> Iterator[LastWords]:
    product, tab, ledger = stage.product, stage.tab(), stage.ledger
    running = tab.send(product.models[LASTING])
    tab.until_text(running, 50)
    a, b = (tab.send(product.models[QUICK], text) for text in ("a", "b"))
    yield partial(must_change, product, tab.accepted[b]["turn"], "now")
    for key in (running, b, a):
        tab.until_over(key)
    assert ledger.assert_sound(running).status == "stopped"
    assert ledger.turn(b).pk < ledger.turn(a).pk
    assert [len(ledger.texts(key)) for key in (a, b)] == [1, 1]


def subagents_that_speak_are_the_same_ones_to_the_end(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[DELEGATES_LONG], f"{task('one')}\n{task('two')}")
    inner = speaking(ledger, key, 2)
    yield None
    tab.until_over(key)
    assert ledger.assert_tree_sound(key).status == "done"
    assert ledger.nested(key) == inner
    assert {ledger.turn(one).status for one in inner} == {"done"}
    assert {ledger.statuses(one, "generation")[0] for one in inner} == {"superseded"}
    assert ledger.statuses(key, "tool") == ["succeeded", "succeeded"]


def the_stop_of_a_tree_is_heard(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[DELEGATES_LONG], f"{task('one')}\n{task('two')}")
    inner = speaking(ledger, key, 2)
    yield partial(tab.stop, key)
    # What was committed just before the kill may never have been announced.
    wait_for(lambda: {ledger.turn(one).status for one in (key, *inner)} == {"stopped"})
    assert ledger.assert_tree_sound(key).status == "stopped"


STORIES = named(
    an_answer_in_mid_generation_is_written_anew_and_whole,
    a_retry_that_waits_loses_nothing_of_the_wait,
    a_turn_that_waited_begins_after_the_one_before_it,
    two_answers_side_by_side_are_both_written_to_the_end,
    messages_that_wait_are_answered_in_their_order,
    a_message_sent_now_is_answered_once_and_first,
    a_note_goes_in_once,
    subagents_that_speak_are_the_same_ones_to_the_end,
    the_stop_of_a_tree_is_heard,
)


@pytest.fixture(scope="module")
def told(running: Product) -> Told:
    running.make_whole()
    return tell(running, STORIES, partial(running.kill, "turns"))


@pytest.mark.parametrize("story", STORIES)
def test_a_killed_turns_worker(told: Told, story: str) -> None:
    told[story].result()
