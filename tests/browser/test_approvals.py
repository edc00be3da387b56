"""What waits for a person: approvals, questions of servers, and progress, as they are used."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from benchmarks.product import Product
from benchmarks.stub import stub_process
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat, opened

pytestmark = pytest.mark.browser

STEPS = 'call new-steps {"count": 2}'
LONG_STEPS = 'call old-steps {"count": 200, "pause": 0.1}'
WAITS = re.compile("waits for you")


@pytest.fixture(scope="module")
def seeded(product: Product) -> Iterator[None]:
    with stub_process() as stub:
        product.run("tests.browser.asking_server", {"base_url": stub.base_url})
        yield


@pytest.fixture
def chat(seeded: None, chat: Chat) -> Chat:
    chat.page.get_by_label("Model", exact=True).select_option(label="Caller")
    return chat


def card(chat: Chat, number: int = 0) -> Locator:
    """The `number`-th of what waits, when it is there."""
    found = chat.page.locator(".ask").nth(number)
    expect(found).to_be_visible()
    return found


def press(place: Locator, name: str) -> None:
    place.get_by_role("button", name=name, exact=True).click()


def result(chat: Chat) -> Locator:
    chat.ended(1)
    return chat.page.locator("[data-call-outcome]").first


def test_a_call_is_allowed_from_another_tab_after_a_reload(
    chat: Chat, context: BrowserContext
) -> None:
    chat.ask(STEPS)
    expect(card(chat)).to_contain_text("May this call run? new · steps")
    expect(chat.page.locator("[data-status]")).to_contain_text(WAITS)
    expect(chat.page.locator(".conversation-waits")).to_have_count(1)
    assert accessibility_problems(chat.page) == []
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    press(other.locator(".ask"), "Allow once")
    expect(result(chat)).to_have_text("all steps")
    expect(chat.page.locator(".ask")).to_have_count(0)
    expect(chat.page.locator(".conversation-waits")).to_have_count(0)


def test_a_denial_tells_the_model_why(chat: Chat) -> None:
    chat.ask(STEPS)
    card(chat).get_by_label("Reason for denying steps").fill("not now")
    press(card(chat), "Deny")
    expect(result(chat)).to_contain_text("did not allow this call. Reason: not now")


def test_arguments_are_checked_and_changed(chat: Chat) -> None:
    chat.ask(STEPS)
    waiting = card(chat)
    waiting.get_by_text("Edit arguments").click()
    field = waiting.get_by_label("Arguments (JSON)")
    field.fill('{"count": "many"}')
    press(waiting, "Allow once with these arguments")
    expect(waiting.get_by_role("alert")).to_contain_text("do not fit the tool's schema")
    field.fill('{"count": 1}')
    press(waiting, "Allow once with these arguments")
    expect(result(chat)).to_have_text("all steps")
    chat.page.locator(".call > summary").first.click()
    expect(chat.page.locator(".call-body").first).to_contain_text("as you changed them")


def test_a_tool_is_allowed_for_the_conversation(chat: Chat) -> None:
    chat.ask(STEPS)
    press(card(chat), "Allow for this conversation")
    chat.ended(1)
    chat.ask(STEPS)
    chat.ended(2)


def test_all_calls_of_a_round_are_allowed_at_once_by_the_keyboard(chat: Chat) -> None:
    chat.ask(f"{STEPS}\n{STEPS}")
    card(chat, 1)
    press(chat.page.locator(".calls-waiting"), "Allow all once")
    chat.ended(1)
    chat.ask(STEPS)
    card(chat)
    chat.page.locator("#thread").click(position={"x": 5, "y": 5})
    chat.page.keyboard.press("w")
    chat.page.keyboard.press("Enter")
    expect(chat.page.locator(".call > summary").last).to_be_focused()
    chat.ended(2)
    expect(chat.page.locator(".call > summary").last).to_be_focused()


@pytest.mark.parametrize("server", ["old", "new"])
def test_a_server_s_form_is_checked_and_sent(chat: Chat, server: str) -> None:
    chat.ask(f'call {server}-book {{"day": "today"}}')
    form = card(chat)
    expect(form).to_contain_text("Details of the table for today")
    assert accessibility_problems(chat.page) == []
    form.get_by_label("How many").fill("9")
    press(form, "Send answer")
    expect(form).to_contain_text("This must be 1 to 8.")
    form.get_by_label("How many").fill("2")
    form.get_by_label("Seat").select_option("aisle")
    press(form, "Send answer")
    expect(result(chat)).to_contain_text('"people":2,"seat":"aisle"')


def test_a_form_is_declined_after_a_reload(chat: Chat) -> None:
    chat.ask('call new-book {"day": "today"}')
    card(chat)
    chat.reload()
    press(card(chat), "Decline")
    expect(result(chat)).to_contain_text("today: decline")


def test_a_page_is_shown_in_full_and_not_opened(chat: Chat) -> None:
    chat.ask("call old-visit {}")
    question = card(chat)
    expect(question).to_contain_text("https://example.org/sign-in?x=1")
    link = question.get_by_role("link", name="Open example.org")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    press(question, "Decline")
    expect(result(chat)).to_contain_text("decline")


def test_progress_is_shown_and_stop_ends_it(chat: Chat) -> None:
    chat.ask(LONG_STEPS)
    press(card(chat), "Allow once")
    expect(chat.page.locator("[data-call-progress]")).to_contain_text(
        re.compile(r"\d+ of 200 · step \d+")
    )
    chat.stop.click()
    chat.ended(1, "stopped")
