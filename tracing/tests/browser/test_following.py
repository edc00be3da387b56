"""The tree of a turn that is followed while it runs."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tracing.models import Span, Trace
from tracing.tests.browser.conftest import SYSTEM, stages
from tracing.tests.builders import ATurn

pytestmark = pytest.mark.browser


def run_on(turn: ATurn, first: int, last: int) -> None:
    """Rounds one after the other, of which the last still runs."""
    Trace.objects.filter(pk=turn.trace.pk).update(status="running", ended=None)
    Span.objects.filter(trace=turn.trace, kind="round", ended=None).update(
        ended=turn.at(first * 100), status="succeeded"
    )
    for number in range(first, last + 1):
        end = None if number == last else number * 100 + 90
        turn.a_round(number, (number * 100, end), status="succeeded" if end else "running")
        turn.a_generation(stages([SYSTEM], f"Answer of round {number}"), (number * 100, end))


def line(page: Page, number: int) -> Locator:
    return page.locator(f'.rounds a.round-link[data-number="{number}"]')


def test_the_running_round_stays_in_sight(page: Page, turn: ATurn) -> None:
    run_on(turn, 4, 40)
    page.goto(turn.trace.get_absolute_url())
    expect(line(page, 40)).to_be_in_viewport()
    run_on(turn, 41, 70)
    expect(line(page, 70)).to_be_in_viewport()
    expect(line(page, 1)).not_to_be_in_viewport()


def test_whoever_has_scrolled_stays_where_they_are(page: Page, turn: ATurn) -> None:
    run_on(turn, 4, 40)
    page.goto(turn.trace.get_absolute_url())
    page.locator(".rounds").evaluate("list => list.scrollTop = 300")
    top = line(page, 12).bounding_box()
    run_on(turn, 41, 70)
    expect(line(page, 70)).to_be_attached()
    assert line(page, 12).bounding_box() == top


def test_beside_an_early_round_the_running_one_is_listed(page: Page, turn: ATurn) -> None:
    run_on(turn, 4, 130)
    page.goto(f"{turn.trace.get_absolute_url()}?round=2")
    expect(line(page, 130)).to_be_attached()
    line(page, 130).click()
    expect(page.locator("#place")).to_have_text("Round 130 of 130")
