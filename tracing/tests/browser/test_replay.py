"""Playing a trace with a failed attempt, a long wait, and calls that have not ended."""

import re

import pytest
from playwright.sync_api import Page, expect

from tracing.tests.browser.conftest import SYSTEM, stages
from tracing.tests.builders import ATurn

pytestmark = pytest.mark.browser

WAITED_MS = 15_000


@pytest.fixture
def retried(turn: ATurn) -> ATurn:
    """A fourth round whose first attempt failed and was made again after twelve seconds."""
    turn.a_round(4, (500, 13_000))
    failed = {"request": b'{"messages":[]}', "response": b'{"error":"overloaded"}'}
    notes = {"status_code": 503, "retry_in_ms": 12_000}
    turn.a_generation(failed, (500, 600), status="failed", error="Overloaded.", attributes=notes)
    turn.a_generation(stages([SYSTEM], "At last."), (12_600, 12_700), number=2)
    turn.a_call({"arguments": b'{"a":1}', "shown": b"2"}, (12_750, 12_800), 1, name="a tool")
    return turn


def on(page: Page, words: str) -> None:
    page.keyboard.press("ArrowRight")
    expect(page.locator("#moment")).to_have_text(re.compile(f"^{words}"))


def test_a_failed_attempt_and_the_wait_for_the_next_are_steps(page: Page, retried: ATurn) -> None:
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&attempt=1&step=request")
    expect(page.locator("#stage-response .stage-body")).not_to_be_visible()
    on(page, "response of attempt 1")
    expect(page.locator("#stage-response .stage-body")).to_contain_text("overloaded")
    on(page, "waiting to try again")
    expect(page).to_have_url(re.compile(r"round=4&attempt=1&step=wait"))
    on(page, "input of attempt 2")
    expect(page).to_have_url(re.compile(r"round=4&step=input$"))
    expect(page.locator("#stage-output .stage-body")).not_to_be_visible()


def test_a_long_wait_is_shortened_and_says_so(page: Page, retried: ATurn) -> None:
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&attempt=1&step=response")
    expect(page.locator("#moment")).not_to_be_empty()
    page.keyboard.press(" ")
    waits = re.compile("waiting to try again.*waited 12")
    expect(page.locator("#moment")).to_have_text(waits, timeout=WAITED_MS)
    expect(page.locator("#moment")).to_contain_text("call result", timeout=WAITED_MS)


def test_a_call_shows_its_result_when_it_has_come(page: Page, retried: ATurn) -> None:
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&step=call-1-started")
    call = page.locator("#round .call")
    expect(call).to_have_attribute("data-moment", "started")
    expect(call.locator('[data-stage="shown"]')).not_to_be_visible()
    on(page, "call result")
    expect(call.locator('[data-stage="shown"]')).to_be_visible()


def test_choosing_a_call_in_the_tree_leaves_the_step(page: Page, retried: ATurn) -> None:
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&step=input")
    expect(page.locator("#stage-output .stage-body")).not_to_be_visible()
    page.locator('.rounds a[href*="span="]').last.click()
    expect(page).not_to_have_url(re.compile("step="))
    expect(page.locator("#stage-output .stage-body")).to_be_visible()


def test_how_stages_are_shown_can_be_changed_within_a_step(page: Page, retried: ATurn) -> None:
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&step=request")
    page.locator(".segments").get_by_role("link", name="JSON").click()
    expect(page).to_have_url(re.compile("view=json.*step=request"))
    expect(page.locator("#stage-response .stage-body")).not_to_be_visible()


def test_a_step_that_is_not_there_shows_the_whole_round(page: Page, retried: ATurn) -> None:
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&step=nonsense")
    expect(page.locator("#stage-output .stage-body")).to_be_visible()
    expect(page.locator("#moment")).to_be_empty()


def test_a_step_into_another_part_of_a_long_tree_brings_it(page: Page, turn: ATurn) -> None:
    for number in range(4, 103):
        turn.a_round(number, (number * 100, number * 100 + 90))
        turn.a_generation({}, (number * 100, number * 100 + 90))
    page.goto(f"{turn.trace.get_absolute_url()}?round=100&step=input")
    page.evaluate("window.isSamePage = true")
    on(page, "input")
    expect(page.locator("#place")).to_have_text("Round 101 of 102")
    current = page.locator('.rounds [aria-current="true"]')
    expect(current).to_contain_text("Round 101")
    assert page.evaluate("window.isSamePage")


def drag(page: Page, share: float) -> None:
    """The scrubber's thumb to a share of the turn's time."""
    box = page.locator("#scrubber").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * share, box["y"] + box["height"] / 2)
    page.mouse.up()


def test_the_scrubber_leads_to_what_was_to_be_seen_at_a_moment(page: Page, retried: ATurn) -> None:
    retried.end(13_000)
    page.goto(f"{retried.trace.get_absolute_url()}?round=1")
    drag(page, 0.5)
    expect(page).to_have_url(re.compile(r"round=4&attempt=1&step=wait"))
    expect(page.locator("#moment")).to_have_text(re.compile("^waiting to try again"))
    drag(page, 0.025)
    expect(page).to_have_url(re.compile(r"round=3&step="))
    expect(page.locator("#place")).to_have_text("Round 3 of 4")


def test_keys_move_the_scrubber_by_steps_and_to_the_ends(page: Page, retried: ATurn) -> None:
    retried.end(13_000)
    page.goto(f"{retried.trace.get_absolute_url()}?round=4")
    slider = page.get_by_role("slider", name="Position in the turn")
    slider.focus()
    page.keyboard.press("ArrowRight")
    first = re.compile("^Round 4 of 4, input of attempt 1")
    expect(slider).to_have_attribute("aria-valuetext", first)
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Round 4 of 4, call result"))
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Round 1 of 4, "))
    expect(slider).to_be_focused()


def test_the_playhead_stands_at_the_moment_in_the_waterfall(page: Page, retried: ATurn) -> None:
    retried.end(13_000)
    page.goto(f"{retried.trace.get_absolute_url()}?round=4&step=call-1-ended")
    expect(page.locator("#trace")).to_have_attribute("data-playhead", "")
    at = "getComputedStyle(document.getElementById('trace')).getPropertyValue('--turn-at')"
    assert float(page.evaluate(at)) == pytest.approx(12_800 / 13_000, abs=0.001)
    page.keyboard.press("Escape")
    expect(page.locator("#trace[data-playhead]")).to_have_count(0)


def test_the_scrubber_grows_with_a_running_turn(page: Page, turn: ATurn) -> None:
    turn.end(500, status="running")
    page.goto(f"{turn.trace.get_absolute_url()}?round=3")
    slider = page.get_by_role("slider", name="Position in the turn")
    expect(slider).to_have_attribute("data-rounds", re.compile(" 3:300:390$"))
    turn.a_round(4, (400, 450))
    turn.a_generation(stages([SYSTEM], "And more."), (400, 450))
    expect(slider).to_have_attribute("data-rounds", re.compile(" 4:400:450$"))
    slider.focus()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile("round=4&step=output"))
