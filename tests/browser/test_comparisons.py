"""Answers side by side in the browser: chosen as chips, written at once, one of them gone on with,
in every tab; on a phone one is shown at a time."""

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect

from benchmarks.stub import StubProcess
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat, opened
from tests.browser.conftest import DESK

pytestmark = pytest.mark.browser

MODELS = [
    {"label": "Works", "name": "stub-n10"},
    {"label": "Other", "name": "stub-n20"},
    {"label": "Slow", "name": "stub-r30-n90"},
    {"label": "Until stopped", "name": "stub-r15-n600"},
    {"label": "Until stopped too", "name": "stub-r15-n601"},
    {"label": "Fails", "name": "stub-f401"},
]
PHONE: ViewportSize = {"width": 390, "height": 800}


@pytest.fixture
def chat(stub: StubProcess, page: Page) -> Chat:
    """An empty conversation."""
    opened(page, lambda: page.goto("/"))
    page.get_by_label("Model", exact=True).select_option(label="Works")
    return Chat(page)


def choose(page: Page, *names: str) -> None:
    """Has these answer the next message side by side. The chosen model is among them at first."""
    page.locator("#compare-menu > summary").click()
    menu = page.locator("[data-compare-panel]")
    expect(menu.get_by_role("button", name="Works", exact=True)).to_be_visible()
    pressed = [text.strip() for text in menu.get_by_role("button", pressed=True).all_inner_texts()]
    left_out = [name for name in pressed if name not in names]
    missing = [name for name in names if name not in pressed]
    for name in (*left_out, *missing):
        menu.get_by_role("button", name=name, exact=True).click()
    page.keyboard.press("Escape")
    expect(chips(page)).to_have_count(len(names))


def chips(page: Page) -> Locator:
    return page.locator("[data-compare-remove]")


def lane(page: Page, number: int) -> Locator:
    return page.locator(f'#thread > [data-lane="{number}"] > .answer')


def tab(page: Page, number: int) -> Locator:
    return page.locator(f'[data-lane-tab="{number}"]')


def show(page: Page, number: int) -> Locator:
    """The answer, after a click on its tab where only one is shown."""
    if tab(page, number).is_visible():
        tab(page, number).click()
    expect(lane(page, number)).to_be_visible()
    return lane(page, number)


def ended(page: Page, number: int, state: str = "done") -> None:
    expect(lane(page, number)).to_have_attribute("data-state", state)


def compare(chat: Chat, *names: str, text: str = "which?") -> None:
    choose(chat.page, *names)
    chat.ask(text)
    expect(chat.page.locator("#thread > [data-comparison]")).to_have_count(len(names))


@pytest.mark.parametrize("size", [DESK, PHONE], ids=("desk", "phone"))
def test_two_models_answer_and_one_is_gone_on_with(chat: Chat, size: ViewportSize) -> None:
    page = chat.page
    page.set_viewport_size(size)
    compare(chat, "Works", "Other")
    expect(chips(page)).to_have_count(0)
    for number, name in ((1, "Works"), (2, "Other")):
        ended(page, number)
        expect(show(page, number).locator(".lane-name")).to_contain_text(name)
        expect(lane(page, number).locator(".figures-model")).to_have_text(name)
    expect(page.locator("#thread .user-message:visible")).to_have_count(1)
    lane(page, 2).get_by_role("button", name="Go on with the answer of Other").click()
    expect(page.locator("[data-comparison]")).to_have_count(0)
    expect(page.locator("#thread .branch-number")).to_have_text("Version 2/2")
    expect(page.get_by_label("Model", exact=True)).to_have_value(
        page.get_by_role("option", name="Other").get_attribute("value") or ""
    )
    chat.ask("next")
    chat.ended(2)
    expect(chat.answers.nth(1).locator(".figures-model")).to_have_text("Other")


def test_they_are_written_at_the_same_time_and_stopped_together_or_alone(chat: Chat) -> None:
    page = chat.page
    compare(chat, "Until stopped", "Until stopped too", "Other")
    for number in (1, 2):
        expect(lane(page, number)).to_contain_text("0:")
    ended(page, 3)
    stop = show(page, 1).get_by_role("button", name="Stop the answer of Until stopped", exact=True)
    stop.click()
    ended(page, 1, "stopped")
    expect(lane(page, 2)).to_have_attribute("data-state", "streaming")
    chat.stop.click()
    ended(page, 2, "stopped")
    expect(chat.stop).to_be_hidden()


def test_a_chip_is_removed_with_one_key(chat: Chat) -> None:
    page = chat.page
    choose(page, "Works", "Other", "Slow")
    chat.composer.focus()
    page.keyboard.press("Backspace")
    expect(chips(page)).to_have_count(2)
    expect(chat.composer).to_be_focused()
    chips(page).first.press("Delete")
    expect(chips(page)).to_have_text(["Other"])
    chat.ask("alone?")
    expect(page.get_by_text("Choose a second model or assistant")).to_be_visible()
    expect(chat.composer).to_have_value("alone?")
    chips(page).first.press("Backspace")
    chat.composer.press("Enter")
    chat.ended(1)
    expect(page.locator("[data-comparison]")).to_have_count(0)


def test_the_next_message_waits_for_the_choice_which_a_key_makes(chat: Chat) -> None:
    page = chat.page
    compare(chat, "Works", "Other")
    ended(page, 1)
    ended(page, 2)
    chat.ask("next")
    expect(page.get_by_text("Choose the answer to go on with.")).to_be_visible()
    expect(lane(page, 1).locator("[data-choose]")).to_be_focused()
    page.keyboard.press("2")
    expect(page.locator("#thread .branch-number")).to_have_text("Version 2/2")
    expect(chat.composer).to_have_value("next")
    chat.composer.press("Enter")
    chat.ended(2)


def test_an_answer_that_failed_says_so_and_is_tried_again_behind_its_tab(chat: Chat) -> None:
    page = chat.page
    page.set_viewport_size(PHONE)
    compare(chat, "Works", "Fails")
    ended(page, 1)
    ended(page, 2, "failed")
    show(page, 2).get_by_role("button", name="Try again").click()
    expect(lane(page, 2)).to_contain_text("Tried again")
    expect(lane(page, 2).locator(".lane-name")).to_contain_text("Fails")
    expect(page.locator("#thread > [data-comparison]")).to_have_count(2)


def test_a_reload_shows_the_same_columns_and_they_go_on(chat: Chat) -> None:
    page = chat.page
    compare(chat, "Slow", "Other")
    expect(lane(page, 1)).to_contain_text("0:")
    chat.reload()
    expect(page.locator("#thread > [data-comparison]")).to_have_count(2)
    ended(page, 2)
    ended(page, 1)
    expect(lane(page, 1)).to_contain_text("89:")


def test_the_choice_in_one_tab_shows_in_the_other(chat: Chat, context: BrowserContext) -> None:
    compare(chat, "Works", "Until stopped")
    ended(chat.page, 1)
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    expect(other.locator("#thread > [data-comparison]")).to_have_count(2)
    expect(lane(other, 2)).to_contain_text("0:")
    show(chat.page, 1).locator("[data-choose]").click()
    for page in (chat.page, other):
        expect(page.locator("[data-comparison]")).to_have_count(0)
        expect(page.locator("#thread .branch-number")).to_have_text("Version 1/2")
    other.get_by_role("button", name="Next version").click()
    expect(chat.answers.first).to_have_attribute("data-state", "stopped")


def test_the_trace_says_what_it_was_compared_with(chat: Chat) -> None:
    page = chat.page
    compare(chat, "Works", "Other")
    ended(page, 2)
    show(page, 2).get_by_role("link", name="Trace", exact=True).click()
    about = page.locator(".comparison-of-trace")
    expect(about).to_contain_text("One of 2 answers side by side.")
    about.get_by_role("link", name="Compare requests").click()
    expect(page.get_by_text("Compared with round 1 of").first).to_be_visible()
    page.locator(".comparison-of-trace").get_by_role("link", name="Answer 1").click()
    expect(page.locator(".comparison-of-trace")).to_contain_text("Answer 2")


def test_columns_chips_and_the_menu_are_accessible(chat: Chat) -> None:
    page = chat.page
    compare(chat, "Works", "Other", "Fails")
    for number, state in ((1, "done"), (2, "done"), (3, "failed")):
        ended(page, number, state)
    assert accessibility_problems(page) == []
    show(page, 1).locator("[data-choose]").click()
    expect(page.locator("[data-comparison]")).to_have_count(0)
    choose(page, "Works", "Other")
    page.locator("#compare-menu > summary").click()
    expect(page.locator("[data-compare-panel] [data-compare]").first).to_be_visible()
    assert accessibility_problems(page) == []
