"""A conversation that is longer than its page: scrolling up, links to old messages, no script."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Locator, Page, Route, expect

from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Frame, Wire
from tests.chromium import cookie_at
from tests.signing_in import session_cookie

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
TURNS = 90


@pytest.fixture
def turns(conversation: AConversation) -> list[ATurn]:
    return [
        conversation.turn(f"question {number}.", "Some text.\n\n" * (2 + number % 5))
        for number in range(TURNS)
    ]


def question(page: Page, number: int) -> Locator:
    return page.get_by_text(f"question {number}.", exact=True)


def top_of(page: Page, number: int) -> float:
    box = question(page, number).bounding_box()
    assert box is not None
    return box["y"]


def shown(page: Page) -> list[int]:
    """The numbers of the questions on the page, in order."""
    texts = page.locator("#thread > [data-turn] .user-text").all_inner_texts()
    return [int(re.sub(r"\D", "", text)) for text in texts]


def follow(page: Page, link: str) -> None:
    """Click a link, and wait for its page: a click alone returns before the new one is read."""
    with page.expect_navigation():
        page.get_by_role("link", name=link).click()


def scroll_to(page: Page, place: str) -> None:
    page.locator("#scroll").evaluate(f"element => element.scrollTo(0, {place})")


def scroll_on(page: Page, number: int) -> None:
    """Down to what is before this question until it is there. A page that is still going to its
    place takes a reader back once."""
    for _ in range(50):
        question(page, number - 1).scroll_into_view_if_needed()
        if question(page, number).count():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"question {number} did not come")


@pytest.mark.parametrize("width", [1440, 390])
def test_older_messages_come_as_one_scrolls_up_and_what_is_read_stays(
    page: Page, wire: Wire, conversation: AConversation, turns: list[ATurn], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(conversation.url)
    assert shown(page) == list(range(80, 90))
    expect(question(page, 89)).to_be_in_viewport()
    scroll_to(page, "300")
    before = top_of(page, 80)
    expect(question(page, 50)).to_be_attached()
    assert abs(top_of(page, 80) - before) < 3
    assert shown(page) == list(range(50, 90))


def test_the_home_key_leads_to_the_beginning_page_by_page(
    page: Page, wire: Wire, conversation: AConversation, turns: list[ATurn]
) -> None:
    page.goto(conversation.url)
    page.locator("#scroll").focus()
    for number in (50, 20, 0):
        page.keyboard.press("Home")
        expect(question(page, number)).to_be_attached()
    page.keyboard.press("Home")
    expect(question(page, 0)).to_be_in_viewport()
    expect(page.locator("[data-gap]")).to_have_count(0)
    assert shown(page) == list(range(TURNS))


def test_an_answer_streams_on_while_older_messages_are_fetched(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    held: list[Route] = []
    page.route("**/thread?*", lambda route: held.append(route))
    opened(conversation)
    page.get_by_role("textbox", name="Message").fill("And now?")
    page.keyboard.press("Enter")
    turn = conversation.turn("And now?", status="streaming")
    wire.accept(turn, wire.heard("send"))
    wire.begin(turn)
    wire.delta(turn, 0, "One ")
    with page.expect_request("**/thread?*"):
        scroll_to(page, "300")
    wire.delta(turn, 4, "two ")
    live = page.locator(f"#turn-{turn.row.public_id}")
    expect(live).to_contain_text("One two")
    before = top_of(page, 80)
    held[0].continue_()
    wire.delta(turn, 8, "three")
    expect(live).to_contain_text("One two three")
    expect(question(page, 50)).to_be_attached()
    assert abs(top_of(page, 80) - before) < 3


@pytest.mark.parametrize("has_query", [True, False])
def test_a_link_to_an_old_message_opens_at_it_with_one_request(
    page: Page, wire: Wire, conversation: AConversation, turns: list[ATurn], has_query: bool
) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    turn = turns[12].row.public_id
    page.goto(f"{conversation.url}{f'?at={turn}' if has_query else ''}#turn-{turn}")
    expect(question(page, 12)).to_be_in_viewport()
    around = [url for url in requests if f"at={turn}" in url]
    assert len(around) == 1
    assert 89 in shown(page)


def test_the_messages_between_an_old_one_and_the_last_come_as_one_scrolls_down(
    page: Page, wire: Wire, conversation: AConversation, turns: list[ATurn]
) -> None:
    page.goto(f"{conversation.url}?at={turns[12].row.public_id}#turn-{turns[12].row.public_id}")
    # Marked once the page has gone there: it scrolls nowhere by itself after that.
    expect(page.locator("[data-found]")).to_be_in_viewport()
    for number in (28, 58, 79):
        scroll_on(page, number)
    expect(page.get_by_role("link", name="Messages in between")).to_have_count(0)
    assert shown(page) == sorted(set(shown(page)))


def test_a_message_that_is_gone_is_told_as_such(
    page: Page, wire: Wire, conversation: AConversation, turns: list[ATurn]
) -> None:
    page.goto(f"{conversation.url}#turn-00000000-0000-4000-8000-000000000000")
    expect(page.locator(".toast")).to_have_text("This message is no longer in the conversation.")


def test_a_failed_request_is_told_and_the_link_stays(
    page: Page, wire: Wire, conversation: AConversation, turns: list[ATurn]
) -> None:
    page.route("**/thread?*", lambda route: route.abort())
    page.goto(conversation.url)
    scroll_to(page, "0")
    expect(page.locator(".toast")).to_contain_text("Messages could not be loaded.")
    page.unroute("**/thread?*")
    link = page.get_by_role("link", name="Older messages")
    link.focus()
    page.keyboard.press("Enter")
    expect(question(page, 50)).to_be_attached()
    expect(page.locator("#scroll")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("More messages are shown.")


def test_turns_that_came_while_the_page_slept_leave_no_hole(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, turns: list[ATurn]
) -> None:
    opened(conversation)
    for number in range(TURNS, TURNS + 25):
        conversation.turn(f"question {number}.", "Text.")
    about: Frame = {"conversation": str(conversation.row.public_id), "cursor": None, "turns": []}
    wire.say({"type": "snapshot", **about})
    expect(question(page, TURNS + 15)).to_be_attached()
    # The turns between them come as one scrolls there, or at once if that place is near.
    question(page, TURNS + 15).scroll_into_view_if_needed()
    expect(page.locator("[data-gap]")).to_have_count(1)
    assert shown(page) == list(range(80, TURNS + 25))


def test_without_script_links_lead_to_older_messages_and_back(
    chromium: Browser,
    live_server: Any,
    owner: User,
    conversation: AConversation,
    turns: list[ATurn],
) -> None:
    with chromium.new_context(base_url=live_server.url, java_script_enabled=False) as context:
        context.add_cookies([cookie_at(live_server.url, session_cookie(owner))])
        page = context.new_page()
        page.goto(conversation.url)
        follow(page, "Older messages")
        assert shown(page) == list(range(50, 90))
        follow(page, "Older messages")
        assert shown(page) == [*range(20, 50), *range(80, 90)]
        follow(page, "Messages in between")
        assert shown(page) == list(range(50, 90))
