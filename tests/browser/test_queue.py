"""Messages that wait, and deletion with undo: in two tabs of the real product."""

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat.cassettes.walkthrough import questions
from tests.browser import accessibility
from tests.browser.chat import Chat, opened

pytestmark = pytest.mark.browser

TABLES, COUNTS, STRUCTURE, AGE = questions()


def queued(page: Page) -> Locator:
    return page.get_by_role("region", name="Queue").get_by_role("listitem")


def second(context: BrowserContext, chat: Chat) -> Page:
    page = context.new_page()
    opened(page, lambda: page.goto(chat.page.url))
    return page


def test_messages_wait_in_both_tabs_and_are_answered_in_the_order_that_one_gave_them(
    chat: Chat, context: BrowserContext, slow_model: str
) -> None:
    chat.talk(slow_model)
    for text in (COUNTS, STRUCTURE, "never mind"):
        chat.ask(text)
    expect(queued(chat.page)).to_have_count(3)
    other = second(context, chat)
    expect(queued(other)).to_have_count(3)
    assert accessibility.problems(other) == []
    queued(other).nth(2).get_by_role("button", name="Withdraw").click()
    expect(other.get_by_role("textbox", name="Message")).to_have_value("never mind")
    expect(queued(chat.page)).to_have_count(2)
    expect(chat.page.locator(".deleted")).to_contain_text("Queued message withdrawn.")
    chat.stop.click()
    for number, question in ((2, COUNTS), (3, STRUCTURE)):
        chat.ended(number)
        turn = other.locator("article.turn").nth(number - 1)
        expect(turn).to_contain_text(question)
    expect(queued(other)).to_have_count(0)


def test_a_message_sent_now_stops_the_answer(chat: Chat, slow_model: str) -> None:
    chat.talk(slow_model)
    chat.ask(COUNTS)
    expect(queued(chat.page)).to_have_count(1)
    queued(chat.page).first.get_by_role("button", name="Send now").click()
    chat.ended(1, "stopped")
    chat.ended(2)


def test_what_is_deleted_goes_in_both_tabs_and_comes_back(
    chat: Chat, context: BrowserContext
) -> None:
    chat.ask(TABLES)
    chat.ended(1)
    chat.ask(COUNTS)
    chat.ended(2)
    other = second(context, chat)
    delete = chat.page.get_by_role("button", name="Delete this message and what follows it")
    delete.nth(1).click()
    expect(chat.answers).to_have_count(1)
    expect(other.locator("article.turn")).to_have_count(1)
    other.locator(".deleted").get_by_role("button", name="Undo").click()
    expect(chat.answers).to_have_count(2)
    expect(other.locator("article.turn")).to_have_count(2)
    delete.first.click()
    expect(other.locator("article.turn")).to_have_count(0)
    expect(chat.stop).to_be_hidden()
    chat.reload()
    chat.page.locator(".deleted").last.get_by_role("button", name="Undo").click()
    expect(chat.answers).to_have_count(2)
