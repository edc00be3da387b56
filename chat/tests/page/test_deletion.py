"""Deleting a message with what follows it, and undo."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from chat.commands import deletion
from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
PHONE: ViewportSize = {"width": 390, "height": 844}
DELETE = "Delete this message and what follows it"


@pytest.fixture
def turns(conversation: AConversation) -> list[ATurn]:
    turns = [conversation.turn("first", "One.")]
    for text in ("second", "third"):
        turns.append(conversation.turn(text, text.title(), parent=turns[-1].row))
    return turns


def test_a_message_and_what_follows_it_go_and_undo_brings_them_back(
    page: Page, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    opened(conversation)
    page.locator("article.turn").nth(1).get_by_role("button", name=DELETE).click()
    expect(page.locator("article.turn")).to_have_count(1)
    expect(page.locator(".deleted")).to_contain_text("2 messages deleted.")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator("article.turn")).to_have_count(3)
    expect(page.locator(".deleted")).to_have_count(0)


def test_the_line_in_the_thread_undoes_it_too_after_a_reload(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    opened(conversation)
    page.locator("article.turn").last.get_by_role("button", name=DELETE).click()
    expect(page.locator("article.turn")).to_have_count(2)
    page.reload()
    page.locator(".deleted").get_by_role("button", name="Undo").click()
    expect(page.locator("article.turn")).to_have_count(3)


def test_what_another_tab_deletes_goes_here_too(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    opened(conversation)
    deletion.delete(conversation.row.owner, turns[2].row.public_id)
    wire.tell("removed", turns[2], turns=[str(turns[2].row.public_id)])
    expect(page.locator("article.turn")).to_have_count(2)
    expect(page.locator(".deleted")).to_have_count(1)
    deletion.restore(conversation.row.owner, turns[2].row.public_id)
    wire.tell("restored", turns[2], turns=[str(turns[2].row.public_id)])
    expect(page.locator("article.turn")).to_have_count(3)


def test_everything_can_be_deleted_and_restored_on_a_phone(
    page: Page, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    page.set_viewport_size(PHONE)
    opened(conversation)
    page.locator("article.turn").first.get_by_role("button", name=DELETE).click()
    expect(page.locator("article.turn")).to_have_count(0)
    # The toast, with the same button, is above it.
    page.locator(".deleted").get_by_role("button", name="Undo").press("Enter")
    expect(page.locator("article.turn")).to_have_count(3)


def test_the_delete_button_is_reached_by_the_keyboard(
    page: Page, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    opened(conversation)
    page.locator("article.turn").last.get_by_role("button", name=DELETE).focus()
    page.keyboard.press("Enter")
    expect(page.locator("article.turn")).to_have_count(2)
    page.locator(".deleted").get_by_role("button", name="Undo").press("Enter")
    expect(page.locator("article.turn")).to_have_count(3)
