"""A killed web process: nothing of a stream is lost, and nothing is stored twice."""

import uuid
from collections.abc import Iterator
from functools import partial

import pytest

from tests.faults.browser import Browser
from tests.faults.calling import compared
from tests.faults.conftest import LASTING, STEADY
from tests.faults.notes import a_note_goes_in_once
from tests.faults.product import Product
from tests.faults.stories import LastWords, Stage, Told, named, tell

pytestmark = pytest.mark.process


def a_stream_loses_no_text(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    key = tab.send(stage.product.models[LASTING])
    tab.until_text(key, 200)
    yield None
    tab.until(lambda: _came_again(tab))
    tab.until_over(key)
    assert ledger.assert_sound(key).epoch == 1
    assert tab.shown(key).texts == ledger.texts(key)
    assert tab.reopened == 0


def two_answers_show_the_same_texts_afterwards(stage: Stage) -> Iterator[LastWords]:
    tab, ledger = stage.tab(), stage.ledger
    first, second = compared(stage.product, tab)
    tab.until_text(first, 100)
    yield None
    tab.until_over(first)
    tab.stop(second)
    tab.until_over(second)
    assert tab.shown(first).texts == ledger.texts(first)
    assert ledger.assert_sound(second).status == "stopped"
    again = tab.post(stage.product.models[STEADY], "Go on.", f"{uuid.uuid4()}")
    tab.until(lambda: any(frame.get("key") == again for frame in tab.frames))
    assert ledger.turns(again) == []


def _came_again(tab: Browser) -> bool:
    """Whether text has come over a second connection."""
    types = [frame["type"] for frame in tab.frames]
    return types.count("hello") > 1 and "delta" in types[len(types) - types[::-1].index("hello") :]


STORIES = named(
    a_stream_loses_no_text, two_answers_show_the_same_texts_afterwards, a_note_goes_in_once
)


@pytest.fixture(scope="module")
def told(running: Product) -> Told:
    running.make_whole()
    return tell(running, STORIES, partial(running.kill, "web"))


@pytest.mark.parametrize("story", STORIES)
def test_a_killed_web_process(told: Told, story: str) -> None:
    told[story].result()
