"""By keyboard alone: Tab goes through every page and sees where it is; what opens is left again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from playwright.sync_api import Page as Tab

from benchmarks.product import Product
from tests.pages import table
from tests.pages.keyboard import walk
from tests.pages.survey import DESK, PHONE, settled
from tests.pages.table import Arguments, Page

pytestmark = pytest.mark.browser

# Django's own pages are no matter of ours.
PAGES = [page for page in table.pages() if "admin:" not in page.route and not page.opens]
OPENED = [page for page in table.pages() if page.opens]
FORCED = [page for page in PAGES if page.route in ("chat:home", "settings:index", "tracing:list")]
FOCUSED = """() => {
  const one = document.activeElement;
  return one && one !== document.body && one.checkVisibility() ? one.outerHTML.slice(0, 120) : "";
}"""
IS_INSIDE = "!document.hasFocus() || document.activeElement.matches('body, dialog *, dialog')"
Opened = Callable[[Page], Tab]


@pytest.fixture(scope="module")
def arguments(product: Product) -> Arguments:
    found: Arguments = product.run("tests.pages.seeding", {})
    return found


@pytest.fixture(scope="module")
def browsers(
    chromium: Browser, product: Product, signed_in: Any
) -> Iterator[dict[bool, BrowserContext]]:
    """The owner's, and one of somebody signed out. Each has loaded the scripts once; a page begins
    without what the one before it has left there."""
    found = {}
    for is_signed_in, state in ((True, signed_in), (False, None)):
        context = chromium.new_context(
            base_url=product.url, viewport=DESK, locale="en-US", storage_state=state
        )
        context.add_init_script("localStorage.clear()")
        found[is_signed_in] = context
    yield found
    for context in found.values():
        context.close()


@pytest.fixture
def opened(browsers: dict[bool, BrowserContext], arguments: Arguments) -> Iterator[Opened]:
    """Opens a page in a tab of its own."""
    tabs: list[Tab] = []

    def opened(page: Page) -> Tab:
        tab = browsers[page.is_signed_in].new_page()
        tabs.append(tab)
        tab.goto(page.address(arguments))
        settled(tab)
        return tab

    yield opened
    for tab in tabs:
        tab.close()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_tab_goes_through_the_page_and_the_focus_is_seen(opened: Opened, page: Page) -> None:
    assert walk(opened(page)) == []


@pytest.mark.parametrize("page", FORCED, ids=str)
def test_the_focus_is_seen_on_a_phone_and_in_forced_colours(opened: Opened, page: Page) -> None:
    tab = opened(page)
    tab.set_viewport_size(PHONE)
    tab.emulate_media(forced_colors="active")
    assert walk(tab) == []


@pytest.mark.parametrize("page", [p for p in OPENED if p.opens and p.opens.escapes], ids=str)
def test_escape_closes_it_and_the_focus_goes_back(opened: Opened, page: Page) -> None:
    tab, opens = opened(page), page.opens
    assert opens
    opens(tab)
    if tab.locator("dialog:modal").count():
        tab_stays_inside(tab)
    tab.keyboard.press("Escape")
    expect(tab.locator(opens.shows).locator("visible=true")).to_have_count(0)
    assert opens.key or tab.evaluate(FOCUSED)


def tab_stays_inside(tab: Tab) -> None:
    """A dialog covers the page: what is below it cannot be reached."""
    for _ in range(12):
        tab.keyboard.press("Tab")
        assert tab.evaluate(IS_INSIDE)
