"""All pages, each visited once: axe finds nothing, nothing is wider than a screen, nothing is left
in English, no text turns its neighbours round, Tab goes through the page and sees where it is, and
what opens is left again by Escape. What fails here is a line for each element.

A page is seen in one of the four looks, the next page in the next one, and those of `KINDS` in all;
`make campaigns` sees all pages in all looks and in both languages.
"""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from benchmarks.product import Product
from tests.pages import table
from tests.pages.keyboard import walk, walk_main
from tests.pages.opened import Opens
from tests.pages.survey import LOOKS, PHONE, one_look, survey
from tests.pages.table import Page
from tests.pages.visits import LANGUAGES, Visits

pytestmark = pytest.mark.browser

PAGES = [page for page in table.pages() if not page.opens]
OPENED = [page for page in table.pages() if page.opens]
# A form, a list, a thread, a trace, settings, the admin.
KINDS = (
    "providers:edit_model model",
    "tracing:list",
    "chat:conversation rich",
    "tracing:trace walked_trace",
    "settings:index",
    "admin:chat_preset_changelist",
)
FORCED = [page for page in PAGES if page.route in ("chat:home", "settings:index", "tracing:list")]
FOCUSED = """() => {
  const one = document.activeElement;
  return one && one !== document.body && one.checkVisibility() ? one.outerHTML.slice(0, 120) : "";
}"""
IS_INSIDE = "!document.hasFocus() || document.activeElement.matches('body, dialog *, dialog')"


@pytest.fixture(scope="module")
def visits(product: Product, chromium: Browser, signed_in: Any) -> Visits:
    return Visits(product, chromium, signed_in)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_nothing_is_wrong_with_a_page(visits: Visits, page: Page) -> None:
    is_example = str(page) in KINDS
    with visits.tab(page, "zh") as tab:
        looks = LOOKS if is_example else one_look(PAGES.index(page))
        faults = survey(tab, "zh", looks).faults
        # Django's own pages are no matter of ours.
        if "admin:" not in page.route:
            faults += walk(tab) if is_example else walk_main(tab)
    assert faults == []


def test_the_kinds_of_pages_are_there() -> None:
    assert set(KINDS) <= set(map(str, PAGES))


@pytest.mark.parametrize("page", OPENED, ids=str)
def test_nothing_is_wrong_with_what_opens_and_escape_closes_it(visits: Visits, page: Page) -> None:
    opens = page.opens
    assert opens
    with visits.tab(page, "zh") as tab:
        if opens.escapes:
            closes_by_escape(tab, opens)
            opens(tab)
        looks = one_look(OPENED.index(page))
        assert survey(tab, "zh", looks, within=opens.shows).faults == []
        if opens.escapes:
            escape(tab, opens)
            visits.closed(page, "zh")


def closes_by_escape(tab: Tab, opens: Opens) -> None:
    """The focus goes back to what opened it."""
    if tab.locator("dialog:modal").count():
        tab_stays_inside(tab)
    escape(tab, opens)
    assert opens.key or tab.evaluate(FOCUSED)


def escape(tab: Tab, opens: Opens) -> None:
    tab.keyboard.press("Escape")
    expect(tab.locator(opens.shows).locator("visible=true")).to_have_count(0)


def tab_stays_inside(tab: Tab) -> None:
    """A dialog covers the page: what is below it cannot be reached."""
    for _ in range(12):
        tab.keyboard.press("Tab")
        assert tab.evaluate(IS_INSIDE)


@pytest.mark.parametrize("page", FORCED, ids=str)
def test_the_focus_is_seen_on_a_phone_and_in_forced_colours(visits: Visits, page: Page) -> None:
    with visits.tab(page, "en") as tab:
        tab.set_viewport_size(PHONE)
        tab.emulate_media(forced_colors="active")
        faults = walk(tab)
        tab.emulate_media(forced_colors="null")
    assert faults == []


@pytest.mark.campaign
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", table.pages(), ids=str)
def test_nothing_is_wrong_in_any_look(visits: Visits, page: Page, language: str) -> None:
    assert visits.look(page, language).faults == []


@pytest.mark.campaign
@pytest.mark.parametrize("page", [page for page in PAGES if "admin:" not in page.route], ids=str)
def test_tab_goes_through_the_whole_page(visits: Visits, page: Page) -> None:
    with visits.tab(page, "en") as tab:
        assert walk(tab) == []


def test_every_address_that_answers_a_document_is_a_page_here(visits: Visits) -> None:
    wrong = []
    for page in table.asked():
        answer = visits.browser("en", page.is_signed_in).request.get(page.address(visits.arguments))
        is_html = "text/html" in answer.headers.get("content-type", "")
        is_document = is_html and "<html" in answer.text()
        if is_document == (page.route in table.NO_PAGES):
            wrong.append(f"{page}: {answer.status} {'a page' if is_document else 'no page'}")
    assert wrong == []
