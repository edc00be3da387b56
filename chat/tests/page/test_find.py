"""The search within a conversation, and the menu of a row of the sidebar, in a browser."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from chat.models import Conversation
from chat.search.indexing import index_noted
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser


@pytest.fixture
def long(owner: User) -> AConversation:
    """60 turns, of which the third and the last but one have the word quokka."""
    conversation = AConversation(owner, "Animals")
    for number in range(60):
        word = "a quokka" if number in (2, 58) else "a wombat"
        conversation.turn(f"Question {number}: {word}?", "Text.\n\n" * 5)
    index_noted()
    return conversation


def test_messages_that_are_not_loaded_are_found(
    page: Page, wire: Wire, long: AConversation
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(long.url)
    expect(page.get_by_text("Question 59")).to_be_visible()
    page.keyboard.press("Control+f")
    expect(page.locator("#find-input")).to_be_focused()
    page.keyboard.type("quokk")
    count = page.locator("#find-count")
    expect(count).to_have_text("2 of 2")
    expect(page.get_by_text("Question 58: a quokka")).to_be_in_viewport()
    page.keyboard.press("Shift+Enter")
    expect(count).to_have_text("1 of 2")
    expect(page.get_by_text("Question 2: a quokka")).to_be_in_viewport()
    expect(page.locator("#find-input")).to_be_focused()
    page.keyboard.press("Enter")
    expect(count).to_have_text("2 of 2")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).to_be_hidden()
    assert page.evaluate("CSS.highlights.has('found')") is False


def test_the_search_says_that_there_is_nothing(page: Page, wire: Wire, long: AConversation) -> None:
    page.goto(long.url)
    page.locator("#conversation-menu > summary").click()
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.locator("#find-input")).to_be_focused()
    page.keyboard.type("unicorn")
    expect(page.locator("#find-count")).to_have_text("No results")


def test_the_sidebar_s_search_opens_at_the_hit(page: Page, wire: Wire, long: AConversation) -> None:
    page.goto("/")
    page.get_by_role("searchbox").click()
    page.keyboard.type("quokka")
    expect(page.locator(".conversation-snippet mark").first).to_have_text("quokka")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Question 58: a quokka")).to_be_in_viewport()


def test_a_row_of_the_sidebar_is_pinned_by_its_menu(
    page: Page, wire: Wire, long: AConversation, owner: User
) -> None:
    AConversation(owner, "Newer")
    page.goto("/")
    page.get_by_role("button", name="Actions for “Animals”").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Pinned")).to_be_visible()
    expect(page.locator(".toast")).to_contain_text("1 conversation pinned.")
    assert Conversation.objects.get(title="Animals").pinned is not None


@pytest.mark.parametrize("width", [390, 1440])
def test_the_open_conversation_is_archived_and_deleted_from_its_row(
    page: Page, wire: Wire, long: AConversation, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(long.url)
    if width == 390:
        page.locator("[data-sidebar-open]").click()
    menu = page.get_by_role("button", name="Actions for “Animals”")
    menu.click()
    page.locator("#row-menu").get_by_role("button", name="Archive").click()
    expect(menu).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    menu.click()
    page.locator("#row-menu").get_by_role("button", name="Delete").click()
    page.locator("#delete-dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile(r"//[^/]+/$"))
    assert not Conversation.objects.exists()
