"""Thumbs that are pressed while another tab's come in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from chat.feedback import rating
from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser


@pytest.fixture
def turn(conversation: AConversation, opened: Callable[..., None]) -> ATurn:
    turn = conversation.turn("one", "The answer.")
    opened(conversation)
    return turn


@contextmanager
def held(page: Page, address: str) -> Iterator[list[Route]]:
    """The request of this address that begins in the block: it is not answered yet."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    page.route(address, hold, times=1)
    with page.expect_request(address):
        yield routes
    while not routes:
        page.wait_for_timeout(1)


def good(page: Page) -> Locator:
    return page.get_by_role("button", name="Good answer")


def test_what_was_fetched_before_a_press_is_not_shown_after_it(
    page: Page, wire: Wire, turn: ATurn
) -> None:
    with held(page, "**/turns/*/") as routes:
        wire.tell("feedback", turn)
    older = routes[0].fetch()
    good(page).click()
    expect(good(page)).to_have_attribute("aria-pressed", "true")
    with page.expect_response("**/turns/*/"):
        routes[0].fulfill(response=older)
    page.wait_for_timeout(100)
    expect(good(page)).to_have_attribute("aria-pressed", "true")


def test_who_rates_elsewhere_in_the_middle_of_a_press_is_shown_after_it(
    page: Page, wire: Wire, turn: ATurn
) -> None:
    with held(page, "**/feedback") as routes:
        good(page).click()
    reply = routes[0].fetch()
    rating.rate(turn.row.conversation.owner, turn.row, "down", "")
    wire.tell("feedback", turn)
    page.wait_for_timeout(100)
    routes[0].fulfill(response=reply)
    expect(page.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")
