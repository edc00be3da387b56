"""The first steps on the empty home of a new deployment."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from benchmarks.product import Product
from tests.browser import accessibility
from tests.browser.chat import opened

pytestmark = pytest.mark.browser

SIZES: tuple[ViewportSize, ...] = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})
PASSWORD = "correct horse battery"
# The page asks every two seconds.


def seed(product: Product, **wanted: str) -> None:
    product.run("tests.browser.first_steps_seeding", wanted)


def states(page: Page) -> Any:
    """By the name of the step."""
    expect(page.locator("[data-step]")).to_have_count(3)
    return {
        row.get_attribute("data-step"): row.get_attribute("data-state")
        for row in page.locator("[data-step]").all()
    }


@pytest.mark.parametrize("size", SIZES, ids=("desk", "phone"))
def test_a_new_owner_reads_what_can_be_done_next(
    page: Page, product: Product, size: ViewportSize
) -> None:
    seed(product)
    page.set_viewport_size(size)
    page.goto("/")
    assert states(page) == {"connect": "todo", "local": "todo", "server": "todo"}
    expect(page.get_by_role("heading", name="First steps")).to_be_in_viewport()
    assert accessibility.problems(page) == []
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    page.locator("[data-step=connect]").get_by_role("link", name="Connect").click()
    expect(page.get_by_role("heading", name="Models", level=1)).to_be_visible()


def test_each_has_its_state_and_a_failed_one_its_reason(page: Page, product: Product) -> None:
    seed(product, model="failed", server="succeeded")
    page.goto("/")
    assert states(page) == {"connect": "failed", "local": "todo", "server": "done"}
    expect(page.locator("[data-step=connect]")).to_contain_text("The key is wrong.")
    assert accessibility.problems(page) == []


def test_one_that_is_running_is_watched_until_all_are_over(page: Page, product: Product) -> None:
    seed(product, model="running", server="succeeded")
    page.goto("/")
    expect(page.locator("[data-step=connect] progress")).to_be_visible()
    seed(product, model="succeeded", server="succeeded")
    with page.expect_response("**/first-steps/dismiss") as dismissed:
        expect(page.locator("#first-steps")).to_have_count(0)
    assert dismissed.value.status == 204
    page.reload()
    expect(page.locator("#first-steps")).to_have_count(0)


def test_who_dismisses_them_goes_on_writing(page: Page, product: Product) -> None:
    seed(product)
    opened(page, lambda: page.goto("/"))
    button = page.get_by_role("button", name="Do not show the first steps again")
    button.focus()
    with page.expect_response("**/first-steps/dismiss"):
        button.press("Enter")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.reload()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    expect(page.locator("#first-steps")).to_have_count(0)


def test_a_member_reads_whom_to_ask(product: Product, chromium: Browser) -> None:
    seed(product, member=PASSWORD)
    context = chromium.new_context(base_url=product.url, service_workers="block")
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Username").fill("member")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("[data-step=connect]")).to_contain_text("Ask owner, who can do this.")
    assert page.locator("[data-step] a").count() == 0
    context.close()
