"""Thumbs and notes: given in one tab they are in the other, in the traces and their export."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.chat import Chat, opened

pytestmark = pytest.mark.browser

QUESTION = "数据库有几张表"


def test_a_thumb_and_its_note_are_in_the_other_tab_at_once(
    chat: Chat, context: BrowserContext
) -> None:
    chat.ask(QUESTION)
    answer = chat.ended(1)
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    good = other.get_by_role("button", name="Good answer")
    expect(good).to_have_attribute("aria-pressed", "false")
    chat.page.get_by_role("button", name="Good answer").click()
    expect(good).to_have_attribute("aria-pressed", "true")

    note = chat.page.get_by_label("What was good or bad?")
    note.fill("数目是对的")
    note.press("Enter")
    expect(other.locator("q")).to_have_text("数目是对的")
    assert chat.trace(answer)["feedback"] == {"rating": "up", "note": "数目是对的"}

    good.click()
    expect(chat.page.get_by_role("button", name="Good answer")).to_have_attribute(
        "aria-pressed", "false"
    )


def test_a_note_that_is_being_written_stays_when_the_other_tab_rates(
    chat: Chat, context: BrowserContext
) -> None:
    chat.ask(QUESTION)
    chat.ended(1)
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    chat.page.get_by_role("button", name="Bad answer").click()
    note = chat.page.get_by_label("What was good or bad?")
    note.fill("half a sente")
    other.get_by_role("button", name="Good answer").click()
    expect(other.get_by_role("button", name="Good answer")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(note).to_have_value("half a sente")


def test_rated_traces_are_filtered_and_exported(chat: Chat) -> None:
    chat.ask(QUESTION)
    answer = chat.ended(1)
    chat.page.get_by_role("button", name="Bad answer").click()
    note = chat.page.get_by_label("What was good or bad?")
    note.fill("Wrong <b>")
    note.press("Enter")
    expect(chat.page.locator("q")).to_have_text("Wrong <b>")
    trace = chat.trace_url(answer).removesuffix(".json")
    page = chat.page
    page.goto("/traces/?feedback=down")
    expect(page.locator(f'a[href^="{trace}"]').first).to_be_visible()
    page.goto("/traces/?feedback=up")
    expect(page.locator(f'a[href^="{trace}"]')).to_have_count(0)
