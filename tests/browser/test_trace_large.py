"""What is large opens, scrolls and is searched; the page holds what is in sight and no more."""

import pytest
from playwright.sync_api import Page, expect

from benchmarks.product import Product
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.trace_seeding import NEEDLE

pytestmark = pytest.mark.browser

MOST_ELEMENTS = 1_500
SEEDED = ("large", "long", "changes", "damaged")


@pytest.fixture(scope="module")
def traces(product: Product) -> dict[str, str]:
    made: dict[str, str] = product.run("tests.browser.trace_seeding", {"names": SEEDED})
    return made


@pytest.fixture
def result(page: Page, traces: dict[str, str]) -> Page:
    """The page of the result of 20 MB."""
    page.goto(traces["large"])
    page.locator('[data-stage="result"] > summary').click()
    page.get_by_label("Menu of the result of call 1").click()
    page.get_by_role("link", name="Find in the result").click()
    expect(page.locator(".reader-live")).to_be_visible()
    return page


def elements(page: Page) -> int:
    count: int = page.evaluate("document.querySelectorAll('*').length")
    return count


def test_twenty_megabytes_scroll_to_their_end_with_a_few_parts_in_the_page(result: Page) -> None:
    text = result.locator("[data-scroller]")
    for _ in range(20):
        text.evaluate("text => text.scrollTop += text.scrollHeight / 20")
        expect(result.locator(".reader-filled").first).to_be_attached()
        assert elements(result) < MOST_ELEMENTS
    expect(text).to_contain_text("88198 2026-01-01")
    assert text.evaluate("text => text.textContent.length") < 200_000


def test_what_is_far_away_is_found_and_gone_to(result: Page) -> None:
    result.get_by_role("searchbox").fill(NEEDLE.upper())
    result.keyboard.press("Enter")
    lit = result.locator("mark[data-lit]")
    expect(lit).to_have_text(NEEDLE)
    expect(lit).to_be_in_viewport()
    expect(result.locator("[data-found]")).to_have_text("1 of 1")


def test_next_and_previous_go_round_the_matches(result: Page) -> None:
    result.get_by_role("searchbox").fill("read_query")
    result.keyboard.press("Enter")
    expect(result.locator("[data-found]")).to_have_text("1 of 1,000+")
    result.keyboard.press("Enter")
    expect(result.locator("[data-found]")).to_have_text("2 of 1,000+")
    result.get_by_role("button", name="Previous match").click(click_count=2)
    expect(result.locator("[data-found]")).to_have_text("1,000 of 1,000+")
    expect(result.locator("mark[data-lit]")).to_be_in_viewport()


def test_lines_are_wrapped_or_not_and_that_is_remembered(result: Page) -> None:
    result.set_viewport_size({"width": 480, "height": 800})
    result.get_by_role("button", name="Wrap long lines").click()
    text = result.locator("[data-scroller]")
    assert text.evaluate("text => text.scrollWidth > text.clientWidth")
    result.reload()
    expect(result.locator(":root[data-nowrap]")).to_be_attached()
    result.get_by_role("button", name="Wrap long lines").click()
    assert not text.evaluate("text => text.scrollWidth > text.clientWidth")


def test_a_thousand_messages_are_a_page_of_a_hundred(page: Page, traces: dict[str, str]) -> None:
    page.goto(traces["large"])
    expect(page.locator("#stage-request .message")).to_have_count(100)
    page.locator("#stage-request").get_by_role("link", name="Next").first.click()
    expect(page.locator("#stage-request")).to_contain_text("Message 100:")


def test_five_hundred_rounds_open_at_any(page: Page, traces: dict[str, str]) -> None:
    page.goto(f"{traces['long']}?round=500")
    expect(page.get_by_role("heading", name="Round 500")).to_be_visible()
    expect(page.locator("#stage-request")).to_contain_text("499 unchanged")
    page.goto(f"{traces['long']}?round=500&against=250")
    expect(page.locator("#stage-request")).to_contain_text("250 unchanged")


@pytest.mark.parametrize(
    "place",
    [
        ("large", "?request=raw"),
        ("changes", "?round=2"),
        ("changes", "?round=2&request=beside"),
        ("changes", "?round=2&view=json"),
        ("changes", "?round=2&text=markdown"),
        ("damaged", ""),
        ("damaged", "?view=raw"),
    ],
)
def test_every_view_is_accessible(
    page: Page, traces: dict[str, str], place: tuple[str, str]
) -> None:
    page.goto(f"{traces[place[0]]}{place[1]}")
    assert accessibility_problems(page) == []


def test_the_page_of_a_payload_is_accessible(result: Page) -> None:
    assert accessibility_problems(result) == []
