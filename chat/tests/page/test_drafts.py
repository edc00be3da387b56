"""Drafts in two tabs and on two devices, with the real server behind them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, Response, expect

from chat.models import Draft
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tests.chromium import cookie_at
from tests.signing_in import session_cookie

pytestmark = pytest.mark.browser


@pytest.fixture
def other_device(chromium: Browser, live_server: Any, owner: User) -> Iterator[Page]:
    """The same person's browser on another machine."""
    context = chromium.new_context(base_url=live_server.url)
    context.add_cookies([cookie_at(live_server.url, session_cookie(owner))])
    page = context.new_page()
    Wire(page)
    yield page
    context.close()


def _field(page: Page) -> Any:
    return page.get_by_role("textbox", name="Message")


def _stored(page: Page, act: Callable[[], object]) -> None:
    """Does something and waits until the draft is stored."""
    with page.expect_response(_is_of_draft):
        act()


def _is_of_draft(response: Response) -> bool:
    return response.url.endswith("draft") and response.request.method == "POST"


def test_a_draft_is_there_on_another_device(
    page: Page, wire: Wire, other_device: Page, conversation: AConversation
) -> None:
    page.goto(conversation.url)
    _stored(page, lambda: _field(page).press_sequentially("一半"))
    other_device.goto(conversation.url)
    expect(_field(other_device)).to_have_value("一半")


def test_a_tab_that_has_not_typed_gets_the_newer_draft(
    page: Page, wire: Wire, other_device: Page, conversation: AConversation
) -> None:
    page.goto(conversation.url)
    other_device.goto(conversation.url)
    _stored(other_device, lambda: _field(other_device).press_sequentially("newer"))
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(_field(page)).to_have_value("newer")


def test_a_tab_that_has_typed_keeps_its_text_and_says_so(
    page: Page, wire: Wire, other_device: Page, conversation: AConversation
) -> None:
    page.goto(conversation.url)
    page.wait_for_load_state("networkidle")
    other_device.goto(conversation.url)
    other_device.wait_for_load_state("networkidle")
    _stored(other_device, lambda: _field(other_device).press_sequentially("theirs"))
    _stored(page, lambda: _field(page).press_sequentially("own"))
    expect(_field(page)).to_have_value("own")
    note = page.locator("#draft-note")
    expect(note).to_contain_text("changed in another tab or on another device. Your text is kept")
    note.get_by_role("button", name="Use the other text").click()
    expect(_field(page)).to_have_value("theirs")


def test_sending_empties_the_draft(page: Page, wire: Wire, conversation: AConversation) -> None:
    page.goto(conversation.url)
    _stored(page, lambda: _field(page).press_sequentially("sent"))
    _stored(page, lambda: _field(page).press("Enter"))
    assert wire.heard("send")["text"] == "sent"
    assert Draft.objects.get().text == ""


def test_a_send_does_not_wait_for_a_draft(
    page: Page, wire: Wire, conversation: AConversation
) -> None:
    page.goto(conversation.url)
    page.route("**/draft", lambda route: None)  # is never answered
    _field(page).fill("now")
    _field(page).press("Enter")
    assert wire.heard("send")["text"] == "now"


def test_without_a_connection_the_browser_keeps_the_text(
    page: Page, wire: Wire, conversation: AConversation
) -> None:
    page.goto(conversation.url)
    page.route("**/draft", lambda route: route.abort())
    _field(page).fill("offline")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.unroute("**/draft")
    page.reload()
    expect(_field(page)).to_have_value("offline")
    for _ in range(500):
        if Draft.objects.filter(text="offline").exists():
            return
        page.wait_for_timeout(10)
    raise AssertionError("the draft was not stored within 5 s")


def test_a_draft_that_is_too_long_stays_in_the_browser_and_says_so(
    page: Page, wire: Wire, conversation: AConversation
) -> None:
    page.goto(conversation.url)
    page.evaluate(
        """() => { const field = document.getElementById("message");
        field.value = "汉".repeat(400_000);
        field.dispatchEvent(new Event("input", {bubbles: true}));
        document.dispatchEvent(new Event("visibilitychange"));
        dispatchEvent(new Event("pagehide")); }"""
    )
    expect(page.locator("#draft-note")).to_contain_text(
        "The draft has 1.2 MB; the limit is 1.0 MB. It is kept in this browser only."
    )
