"""The list of traces, on what the walkthrough left."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.product import Product
from chat.cassettes.walkthrough import questions
from tests.browser import accessibility
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

COUNT, ROWS, *_ = questions()
# The digest is a beat behind.
DIGESTED_MS = 20_000


@pytest.fixture(scope="module", autouse=True)
def asked(chromium: Browser, product: Product, signed_in: Any) -> None:
    """A conversation of two turns, both of which are counted and searched."""
    context = chromium.new_context(base_url=product.url, storage_state=signed_in)
    chat = Chat(context.new_page())
    chat.page.goto("/")
    for number, question in enumerate((COUNT, ROWS), 1):
        chat.ask(question)
        chat.ended(number)
    until_counted(chat.page)
    context.close()


def until_counted(page: Page) -> None:
    """Reloads the list until both turns have a figure."""
    for _ in range(DIGESTED_MS // 500):
        page.goto("/traces/?sort=tokens")
        if page.locator("[data-row]").count() == 2:
            return
        page.wait_for_timeout(500)
    raise AssertionError("The turns were not counted.")


def expect_names(page: Page, *names: str) -> None:
    expect(page.locator("[data-row] th a")).to_have_text(list(names))


def test_the_header_leads_to_the_list_and_the_list_to_the_trace(page: Page) -> None:
    page.goto("/servers/")
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Traces").click()
    expect(page.locator("[data-row]")).to_have_count(2)
    expect_names(page, ROWS, COUNT)
    page.get_by_role("link", name=COUNT, exact=True).click()
    expect(page.get_by_role("heading", name=COUNT)).to_be_visible()


def test_searching_marks_what_was_found_and_the_address_is_the_state(page: Page) -> None:
    page.goto("/traces/")
    page.keyboard.press("/")
    page.keyboard.type("几张表")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    expect(page.locator("mark").first).to_have_text("几张表")
    assert urlsplit(page.url).query.startswith("q=")
    assert "&status" not in page.url
    page.reload()
    expect_names(page, COUNT)


def test_a_filter_applies_itself_and_its_chip_takes_it_away(page: Page) -> None:
    page.goto("/traces/")
    page.get_by_label("Status").select_option(label="Failed")
    expect(page.get_by_text("No trace matches all filters.")).to_be_visible()
    page.get_by_label("Chosen filters").get_by_role("link", name="failed").click()
    expect(page.locator("[data-row]")).to_have_count(2)


def test_keys_move_through_the_rows_and_open_one(page: Page) -> None:
    page.goto("/traces/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.get_by_role("link", name=COUNT, exact=True)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("x")
    expect(page.get_by_role("checkbox", name=f"Choose {ROWS}")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=ROWS)).to_be_visible()


def test_acts_wait_until_something_is_chosen(page: Page) -> None:
    page.goto("/traces/")
    delete = page.get_by_role("button", name="Delete…")
    expect(delete).to_be_disabled()
    page.get_by_role("checkbox", name="Choose all of this page").check()
    expect(page.get_by_text("2 chosen")).to_be_visible()
    expect(delete).to_be_enabled()


def test_a_selection_is_downloaded(page: Page) -> None:
    page.goto("/traces/")
    page.get_by_role("checkbox", name=f"Choose {COUNT}").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    assert download.value.suggested_filename == "traces.json"


def test_a_filtered_list_is_accessible(page: Page) -> None:
    page.goto("/traces/?q=表&status=failed&kind=turn")
    assert accessibility.problems(page) == []


def test_deleting_asks_and_the_conversation_stays(page: Page) -> None:
    page.goto("/traces/")
    page.get_by_role("checkbox", name=f"Choose {COUNT}").check()
    page.get_by_role("button", name="Delete…").click()
    assert accessibility.problems(page) == []
    page.get_by_role("button", name="Delete 1").click()
    expect(page.get_by_text("1 trace deleted.")).to_be_visible()
    expect_names(page, ROWS)
    page.goto("/")
    page.get_by_role("link", name=COUNT).click()
    expect(page.locator("[data-role=assistant]")).to_have_count(2)
