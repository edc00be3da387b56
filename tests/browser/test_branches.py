"""Branches in the browser: a question edited in place, an answer regenerated and continued, and the
way from one version to the next, in every tab."""

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from benchmarks.stub import StubProcess
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat, opened

pytestmark = pytest.mark.browser

MODELS = [
    {"label": "Works", "name": "stub-n10"},
    {"label": "Until stopped", "name": "stub-r15-n600"},
    {"label": "Stops at its limit", "name": "stub-n40-flimit"},
]


@pytest.fixture
def chat(stub: StubProcess, page: Page) -> Chat:
    """An empty conversation."""
    page.goto("/")
    choose(page, "Works")
    return Chat(page)


def choose(page: Page, model: str) -> None:
    page.get_by_label("Model", exact=True).select_option(label=model)


def show_questions(page: Page, *texts: str) -> None:
    shown = page.locator("#thread > .turn:not(.left) .user-message [data-text]")
    expect(shown).to_have_text(list(texts))


def edit(page: Page, number: int) -> Locator:
    """The editor in the place of the `number`-th question (1 …)."""
    page.get_by_role("button", name="Edit this message").nth(number - 1).click()
    field = page.get_by_role("form", name="Edit the message").get_by_role("textbox")
    expect(field).to_be_focused()
    return field


def send_edit(page: Page, number: int, text: str) -> None:
    """Sends another text in the place of the `number`-th question, and waits until it is shown."""
    field = edit(page, number)
    field.fill(text)
    field.press("Enter")
    expect(page.locator(".unsent, .left")).to_have_count(0)
    expect(page.locator("#thread .user-message [data-text]").nth(number - 1)).to_have_text(text)


def version(page: Page, of: str = "message") -> Locator:
    return page.get_by_role("group", name=f"Versions of this {of}")


def ask_two(chat: Chat) -> None:
    chat.ask("one")
    chat.ended(1)
    chat.ask("two")
    chat.ended(2)


def test_an_edited_question_is_a_version_and_one_goes_back(chat: Chat) -> None:
    ask_two(chat)
    page = chat.page
    expect(edit(page, 1)).to_have_value("one")
    page.get_by_role("button", name="Cancel").click()
    send_edit(page, 1, "uno")
    show_questions(page, "uno")
    chat.ended(1)
    expect(version(page).locator(".branch-number")).to_have_text("Version 2/2")
    version(page).get_by_role("button", name="Version before").click()
    show_questions(page, "one", "two")
    expect(page.get_by_text("Version 1 of 2 is shown.")).to_be_attached()
    expect(version(page).get_by_role("button", name="Next version")).to_be_focused()
    chat.reload()
    show_questions(page, "one", "two")
    page.locator("#scroll").focus()
    page.keyboard.press("]")
    show_questions(page, "uno")


def test_escape_leaves_the_question_as_it_was(chat: Chat) -> None:
    chat.ask("one")
    chat.ended(1)
    field = edit(chat.page, 1)
    field.fill("something else")
    field.press("Escape")
    expect(field).to_have_count(0)
    show_questions(chat.page, "one")
    expect(chat.page.get_by_role("button", name="Edit this message")).to_be_focused()
    chat.page.keyboard.press("e")
    expect(chat.page.get_by_role("form", name="Edit the message")).to_be_visible()


def test_an_answer_is_regenerated_by_another_model(chat: Chat) -> None:
    chat.ask("one")
    first = chat.ended(1)
    page = chat.page
    page.get_by_label("Regenerate the answer").click()
    page.get_by_role("button", name="Stops at its limit", exact=True).click()
    expect(version(page, "answer").locator(".branch-number")).to_have_text("Version 2/2")
    chat.ended(1)
    expect(first.locator(".figures-model")).to_have_text("Stops at its limit")
    show_questions(page, "one")
    version(page, "answer").get_by_role("button", name="Version before").click()
    expect(chat.answers.first.locator(".figures-model")).to_have_text("Works")


def test_an_answer_that_was_cut_is_continued(chat: Chat) -> None:
    page = chat.page
    choose(page, "Stops at its limit")
    chat.ask("one")
    chat.ended(1)
    page.get_by_role("button", name="Continue").click()
    chat.ended(2)
    expect(page.get_by_text("Continued")).to_be_visible()
    page.get_by_text("Continued").click()
    expect(page.get_by_text("Your answer was cut off.")).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_have_count(1)


def test_every_tab_shows_the_branch(chat: Chat, context: BrowserContext) -> None:
    ask_two(chat)
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    show_questions(other, "one", "two")
    field = edit(chat.page, 2)
    field.fill("dos")
    field.press("Enter")
    show_questions(other, "one", "dos")
    expect(Chat(other).answers.nth(1)).to_have_attribute("data-state", "done")
    version(other).get_by_role("button", name="Version before").click()
    show_questions(chat.page, "one", "two")


def test_two_tabs_that_edit_the_same_question_both_get_a_version(
    chat: Chat, context: BrowserContext
) -> None:
    ask_two(chat)
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    fields = [edit(chat.page, 2), edit(other, 2)]
    for field, text in zip(fields, ("dos", "zwei"), strict=True):
        field.fill(text)
    fields[0].press("Enter")
    # What is said of it may be followed by the answer's end at once.
    expect(other.locator("#thread .branch-number")).to_have_text("Version 2/2")
    expect(fields[1]).to_be_focused()
    expect(fields[1]).to_have_value("zwei")
    fields[1].press("Enter")
    expect(version(chat.page).locator(".branch-number")).to_have_text(re.compile(r"\d/3"))
    expect(version(other).locator(".branch-number")).to_have_text(re.compile(r"\d/3"))


def test_a_turn_of_a_branch_that_is_left_goes_on_and_says_so(chat: Chat) -> None:
    page = chat.page
    choose(page, "Until stopped")
    chat.ask("one")
    chat.speaking(1, "0:")
    choose(page, "Works")
    send_edit(page, 1, "uno")
    expect(version(page).get_by_text("Another version is being answered")).to_be_attached()
    version(page).get_by_role("button", name="Version before").click()
    show_questions(page, "one")
    text = chat.speaking(1, "0:").inner_text()
    expect(chat.answers.first).not_to_have_text(text)
    chat.stop.click()
    chat.ended(1, "stopped")
    version(page).get_by_role("button", name="Next version").click()
    show_questions(page, "uno")
    chat.ended(1)


def test_a_link_to_another_branch_offers_to_show_it(chat: Chat) -> None:
    ask_two(chat)
    page = chat.page
    turn = page.locator("#thread > .turn").nth(1).get_attribute("data-turn")
    send_edit(page, 2, "dos")
    chat.ended(2)
    opened(page, lambda: page.goto(f"{page.url.split('?')[0]}?at={turn}#turn-{turn}"))
    show = page.get_by_role("button", name="Show that branch")
    expect(show).to_be_focused()
    show.click()
    show_questions(page, "one", "two")
    expect(show).to_have_count(0)


def test_the_trace_says_the_branch(chat: Chat) -> None:
    ask_two(chat)
    page = chat.page
    send_edit(page, 2, "dos")
    chat.ended(2).get_by_role("link", name="Trace", exact=True).click()
    branch = page.locator(".branch-of-trace")
    expect(branch).to_contain_text("Branch 2 of 2 at turn 2.")
    branch.get_by_role("link", name="Branch 1").click()
    expect(branch).to_contain_text("The conversation shows another one.")


def test_a_page_with_versions_and_an_editor_is_accessible(chat: Chat) -> None:
    chat.ask("one")
    chat.ended(1)
    page = chat.page
    page.get_by_label("Regenerate the answer").click()
    page.get_by_role("button", name="Again with Works").click()
    expect(version(page, "answer").locator(".branch-number")).to_have_text("Version 2/2")
    chat.ended(1)
    edit(page, 1)
    assert accessibility_problems(page) == []
