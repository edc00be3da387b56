import re
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tracing.models import Span
from tracing.tests.browser.conftest import SYSTEM, stages
from tracing.tests.builders import ATurn

pytestmark = pytest.mark.browser


def step(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"{name} round").click()


def expect_round(page: Page, number: int) -> None:
    expect(page.locator("#place")).to_have_text(f"Round {number} of 3")
    expect(page.locator("#stage-output")).to_contain_text(f"Answer of round {number}")
    current = page.get_by_role("navigation", name="Rounds").locator("[aria-current=true]")
    expect(current).to_contain_text(f"Round {number}")


def test_buttons_step_through_the_rounds(page: Page, turn: ATurn) -> None:
    page.goto(turn.trace.get_absolute_url())
    for name, number in (("Next", 2), ("Next", 3), ("First", 1), ("Last", 3), ("Previous", 2)):
        step(page, name)
        expect_round(page, number)


def test_keys_step_through_the_rounds(page: Page, turn: ATurn) -> None:
    page.goto(turn.trace.get_absolute_url())
    for key, number in (("]", 2), ("End", 3), ("[", 2), ("Home", 1), ("]", 2)):
        page.keyboard.press(key)
        expect_round(page, number)


def test_there_is_no_step_beyond_the_ends(page: Page, turn: ATurn) -> None:
    page.goto(f"{turn.trace.get_absolute_url()}?round=3")
    expect(page.get_by_role("button", name="Next round")).to_be_disabled()
    expect(page.get_by_role("button", name="Last round")).to_be_disabled()
    page.keyboard.press("]")
    expect_round(page, 3)


def test_the_place_is_in_the_address_and_in_the_history(page: Page, turn: ATurn) -> None:
    page.goto(turn.trace.get_absolute_url())
    step(page, "Last")
    expect_round(page, 3)
    expect(page).to_have_url(re.compile(r"\?round=3$"))
    page.reload()
    expect_round(page, 3)
    page.go_back()
    expect_round(page, 1)


def test_a_step_keeps_the_view_and_the_focus(page: Page, turn: ATurn) -> None:
    page.goto(f"{turn.trace.get_absolute_url()}?round=1&view=json")
    step(page, "Next")
    expect(page.locator("#stage-request .json-fold")).to_have_text("⋯ 2 unchanged")
    expect(page.get_by_role("button", name="Next round")).to_be_focused()


def test_what_is_unchanged_unfolds(page: Page, turn: ATurn) -> None:
    page.goto(f"{turn.trace.get_absolute_url()}?round=3")
    stage = page.locator("#stage-request")
    expect(stage).not_to_contain_text("You look after a database.")
    stage.get_by_role("link", name="3 unchanged").click()
    expect(stage).to_contain_text("You look after a database.")


def test_another_attempt_opens(page: Page, turn: ATurn) -> None:
    Span.objects.filter(trace=turn.trace, kind="generation", parent=turn.round).update(number=2)
    failed = {"response": b'{"error":"overloaded"}'}
    turn.a_generation(failed, (300, 310), status="failed", error="The provider answered 503.")
    page.goto(f"{turn.trace.get_absolute_url()}?round=3")
    page.get_by_role("link", name="Attempt 1", exact=True).click()
    expect(page.locator("#stage-response")).to_contain_text("overloaded")
    expect(page.get_by_text("attempt 1 of 2")).to_be_visible()


def test_a_running_turn_fills_in_until_it_is_over(page: Page, turn: ATurn) -> None:
    turn.end(500, status="running")
    page.goto(turn.trace.get_absolute_url())
    expect_round(page, 3)
    turn.a_round(4, (500, 600))
    turn.a_generation(stages([SYSTEM], "It has just come."), (500, 600))
    expect(page.locator("#place")).to_have_text("Round 4 of 4")
    expect(page.locator("#stage-output")).to_contain_text("It has just come.")
    turn.end(700)
    expect(page.locator(".trace-head .state")).to_have_text("done")
    expect(page.locator("#place")).to_have_text("Round 4 of 4")


NEEDLE = b"the needle"


@pytest.mark.parametrize(
    ("place", "kind", "stage"),
    [
        ("find=the+needle", "generation", "response"),
        ("bytes={start}-{end}", "tool", "result"),
    ],
)
def test_an_address_opens_a_payload_at_the_place_that_it_names(
    page: Page, turn: ATurn, place: str, kind: str, stage: str
) -> None:
    body = b"a line of the log\n" * 3_000 + NEEDLE + b"\nmore of it" * 3_000
    turn.a_round(4, (500, 600))
    turn.a_generation({**stages([SYSTEM], "Done"), "response": body}, (500, 600))
    turn.a_call({"arguments": b"{}", "result": body}, (560, 570), 1, name="a tool")
    span = Span.objects.get(trace=turn.trace, kind=kind, parent=turn.round)
    at = place.format(start=(start := body.index(NEEDLE)), end=start + len(NEEDLE))
    page.goto(f"{turn.trace.get_absolute_url()}?span={span.public_id}&stage={stage}&{at}")
    lit = page.locator("mark[data-lit]")
    expect(lit).to_have_text(NEEDLE.decode())
    expect(lit).to_be_in_viewport()
    expect(page.locator("#place")).to_have_text("Round 4 of 4")


def test_hostile_text_does_nothing(page: Page, turn: ATurn) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    turn.a_round(4, (500, 600))
    turn.a_generation(stages([{"role": evil, "content": evil}], evil), (500, 600))
    page.goto(turn.trace.get_absolute_url())
    step(page, "Last")
    expect(page.locator("#stage-output")).to_contain_text(evil)


def test_it_works_without_scripts(
    chromium: Browser, live_server: Any, context: BrowserContext, turn: ATurn
) -> None:
    state = {"base_url": live_server.url, "storage_state": context.storage_state()}
    with chromium.new_context(**state, java_script_enabled=False) as unscripted:
        page = unscripted.new_page()
        page.goto(turn.trace.get_absolute_url())
        step(page, "Next")
        expect_round(page, 2)


def test_nothing_is_wider_than_the_window(page: Page, turn: ATurn) -> None:
    long = {"role": "user", "content": "x" * 500 + " " + "/path" * 90}
    turn.a_round(4, (500, 600))
    turn.a_generation(stages([long], "y" * 500), (500, 600), error="z" * 500)
    for query in ("?round=4", "?round=4&view=json", "?round=3"):
        page.goto(turn.trace.get_absolute_url() + query)
        for width in (320, 390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_error_of_a_turn_leads_to_its_bytes(page: Page, turn: ATurn) -> None:
    body = b'data: {"choices":[]}\n\n' * 60 + b"data: {broken\n\n" + b": on\n\n" * 400
    at = body.index(b"{broken")
    noted = {"status_code": 200, "error_bytes": [at, at + 7]}
    turn.a_round(4, (500, 600))
    given = {**stages([SYSTEM], "Done"), "response": body}
    turn.a_generation(given, (500, 600), status="failed", error="Not read.", attributes=noted)
    turn.end(600, "failed")
    page.goto(turn.trace.get_absolute_url())
    page.get_by_role("link", name="the bytes that came back").click()
    lit = page.locator("mark[data-lit]")
    expect(lit).to_have_text("{broken")
    expect(lit).to_be_in_viewport()
