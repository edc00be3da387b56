"""The editor of a question, and the menu of other answers, with a server that is not there."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from chat.models import PersonalSettings
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser


@pytest.fixture
def answered(conversation: AConversation) -> AConversation:
    conversation.turn("one", "The answer.")
    return conversation


def _editor(page: Page) -> Locator:
    page.get_by_role("button", name="Edit this message").click()
    return page.get_by_role("form", name="Edit the message").get_by_role("textbox")


def test_who_likes_ctrl_enter_sends_an_edited_question_by_it_too(
    page: Page, wire: Wire, opened: Callable[..., None], answered: AConversation
) -> None:
    likes = PersonalSettings.SendingKey.CTRL_ENTER
    PersonalSettings.change(answered.row.owner, sending_key=likes)
    opened(answered)
    editor = _editor(page)
    editor.press("Enter")
    editor.press_sequentially("two")
    editor.press("Control+Enter")
    assert wire.heard("send")["text"] == "one\ntwo"


def test_who_is_signed_out_is_told_and_keeps_what_is_edited(
    page: Page, wire: Wire, opened: Callable[..., None], answered: AConversation
) -> None:
    opened(answered)
    editor = _editor(page)
    editor.fill("half a thought")
    page.context.clear_cookies()
    page.get_by_label("Regenerate the answer").click()
    expect(page.locator(".toast")).to_contain_text("You are signed out.")
    expect(editor).to_have_value("half a thought")


def test_a_menu_that_is_not_there_any_more_shows_no_page_of_errors(
    page: Page, wire: Wire, opened: Callable[..., None], answered: AConversation
) -> None:
    opened(answered)
    page.route("**/regenerate", lambda route: route.fulfill(status=500, body="<h1>Error</h1>"))
    page.get_by_label("Regenerate the answer").click()
    expect(page.locator(".toast")).to_contain_text("No connection.")
    expect(page.locator("[data-regenerate-menu]")).not_to_have_attribute("open", "")
