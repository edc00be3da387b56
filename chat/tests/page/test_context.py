"""The context share and the summary that a person asks for, on the page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Wire
from tests.browser.accessibility import problems

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
SHARE: dict[str, object] = {
    "tokens": 15_360,
    "window": 128_000,
    "threshold": 0.8,
    "estimated": False,
}
FULL: dict[str, object] = {**SHARE, "tokens": 110_000}


def opened_menu(page: Page) -> None:
    page.locator("#context > summary").click()


def ended(wire: Wire, turn: ATurn, share: dict[str, object]) -> None:
    wire.generation(turn, state="succeeded", context=share)


def test_the_share_follows_what_the_provider_reports(
    page: Page, wire: Wire, conversation: AConversation, opened: Opened
) -> None:
    turn = conversation.turn(status="streaming")
    opened(conversation)
    wire.begin(turn)
    ended(wire, turn, SHARE)
    menu = page.locator("#context > summary")
    expect(menu).to_contain_text("12 %")
    ended(wire, turn, FULL)
    expect(menu).to_contain_text("86 %")
    expect(menu).to_contain_text("almost full")
    opened_menu(page)
    expect(page.locator("#context")).to_contain_text("110,000 of 128,000 tokens")
    assert problems(page) == []


def test_a_summary_that_is_being_written_is_told_with_its_time(
    page: Page, wire: Wire, conversation: AConversation, opened: Opened
) -> None:
    turn = conversation.turn(status="streaming")
    opened(conversation)
    wire.begin(turn)
    about = {"layer": "manual", "messages": 34, "elapsed_ms": 4_000}
    wire.tell("compaction", turn, compaction="c", state="running", **about)
    expect(page.locator("[data-status-text]")).to_have_text("summarising older messages")
    expect(page.locator("[data-status-time]")).to_contain_text("4.")


def test_a_page_that_comes_in_the_middle_of_a_summary_is_told_too(
    page: Page, conversation: AConversation, opened: Opened
) -> None:
    turn = conversation.turn(status="streaming")
    running = {"state": "running", "elapsed_ms": 2_000}
    told = {"turn": str(turn.row.public_id), "state": "streaming", "epoch": 1, "message": None}
    opened(conversation, {**told, "error": None, "elapsed_ms": 0, "compaction": running})
    expect(page.locator("[data-status-text]")).to_have_text("summarising older messages")


def test_what_the_summary_has_to_keep_goes_with_the_wish(
    page: Page, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    opened(conversation)
    sent: list[str] = []

    def take(route: Route) -> None:
        sent.append(route.request.post_data or "")
        route.fulfill(status=201, json={"turn": "t"})

    page.route("**/compact", take)
    opened_menu(page)
    page.get_by_label("What the summary must keep").fill("the names")
    page.get_by_role("button", name="Summarise older messages now").click()
    expect(page.locator("#context")).not_to_have_attribute("open", "")
    assert "the names" in sent[0]


def test_what_cannot_be_summarised_is_said_in_place(
    page: Page, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    opened(conversation)
    error = {"error": "There is nothing to summarise yet."}
    page.route("**/compact", lambda route: route.fulfill(status=409, json=error))
    opened_menu(page)
    page.get_by_role("button", name="Summarise older messages now").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing to summarise")).to_be_visible()


def test_on_a_phone_the_menu_of_the_conversation_leads_there(
    page: Page, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    page.set_viewport_size({"width": 390, "height": 844})
    opened(conversation)
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Context", exact=True).click()
    expect(page.get_by_role("button", name="Summarise older messages now")).to_be_visible()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
