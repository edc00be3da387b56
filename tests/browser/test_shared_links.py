"""Sharing a conversation by a link, in the real product: preview, page, trace, copy, revocation."""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from benchmarks.product import Product
from chat.cassettes.walkthrough import questions
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat
from tests.browser.conftest import DESK

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
SHOTS = os.environ.get("SHARED_SHOTS", "")
PAGE_PATH = re.compile(r"/shared/[\w-]{32}/$")


@pytest.fixture(scope="module")
def seeded(product: Product) -> Any:
    return product.run("tests.browser.shared_seeding", {})


@pytest.fixture
def page(context: BrowserContext, request: pytest.FixtureRequest) -> Page:
    """On a desk, or with the screen that a test asks for."""
    page = context.new_page()
    page.set_viewport_size(getattr(request, "param", DESK))
    return page


@pytest.fixture
def stranger(chromium: Browser, product: Product, page: Page) -> Iterator[Page]:
    """Somebody who is not signed in, with the same screen."""
    context = chromium.new_context(base_url=product.url, viewport=page.viewport_size)
    yield context.new_page()
    context.close()


def shot(page: Page, name: str) -> None:
    """A picture for people, in both themes, if somebody wants to look."""
    if not SHOTS:
        return
    width = page.viewport_size["width"] if page.viewport_size else 0
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(300)
        page.screenshot(path=f"{SHOTS}/{name}-{width}-{theme}.png", full_page=True)
    page.emulate_media(color_scheme="light")


def made(page: Page) -> str:
    """Makes the link; its address."""
    page.get_by_role("button", name="Make the link").last.click()
    expect(page.get_by_role("heading", name="The link is ready")).to_be_visible()
    return page.get_by_label("Address").input_value()


@pytest.mark.parametrize("page", [DESK, PHONE], ids=("desk", "phone"), indirect=True)
def test_a_conversation_is_previewed_shared_read_and_revoked(
    page: Page, stranger: Page, seeded: Any
) -> None:
    page.goto(seeded["path"])
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("link", name="Share a link").click()
    preview = page.locator("[data-share-preview]")
    expect(preview.get_by_text("secrets on this page are masked")).to_be_visible()
    shot(page, "preview")
    assert accessibility_problems(page) == []
    page.get_by_label("Hide arguments and result").last.check()
    expect(preview.get_by_text("8000")).to_have_count(0)
    page.get_by_label("Everybody who has the link").check()
    expect(preview).not_to_have_attribute("aria-busy", "true")
    address = made(page)
    shot(page, "made")
    assert accessibility_problems(page) == []

    stranger.goto(address)
    expect(stranger.get_by_role("heading", name="Quokkas and their islands")).to_be_visible()
    expect(stranger.locator("math")).to_have_count(1)
    expect(stranger.locator(".attachment-image img")).to_be_visible()
    stranger.locator(".attachment-image img").scroll_into_view_if_needed()
    stranger.wait_for_function("document.querySelector('.attachment-image img').naturalWidth === 1")
    assert seeded["key"] not in stranger.content() and "8000" not in stranger.content()
    shot(stranger, "page")
    assert accessibility_problems(stranger) == []

    page.goto("/settings/#links")
    shot(page, "settings")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Revoke", exact=True).first.click()
    expect(page.get_by_text("The address shows nothing any more.")).to_be_visible()
    stranger.goto(address)
    expect(stranger.get_by_role("heading", name="This link shows nothing")).to_be_visible()
    shot(stranger, "over")
    assert accessibility_problems(stranger) == []


def test_the_link_in_the_palette_leads_to_a_conversation_that_has_just_begun(
    page: Page, stranger: Page
) -> None:
    """A trace of a real turn is shared, and continued by somebody else in a copy."""
    page.goto("/")
    chat = Chat(page)
    chat.ask(questions()[0])
    chat.ended(1)
    page.keyboard.press("Control+K")
    page.get_by_role("combobox", name="Search commands").fill("Share a link")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Share", exact=True)).to_be_visible()
    page.get_by_label("Traces", exact=True).check()
    preview = page.locator("[data-share-preview]")
    with page.context.expect_page() as opened:
        preview.get_by_role("button", name="Trace").click()
    expect(opened.value.get_by_role("heading", name="Trace of turn 1")).to_be_visible()
    opened.value.close()
    page.get_by_label("Live: with what is added later").check()
    page.get_by_label("Everybody who has the link").check()
    expect(preview.get_by_text("Live: reload")).to_be_visible()
    address = made(page)

    stranger.goto(address)
    stranger.get_by_role("link", name="Trace", exact=True).click()
    expect(stranger.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(stranger.locator("[data-stage=request]").first).to_contain_text("list_tables")
    expect(stranger.locator("[data-stage=response]").first).to_contain_text("<tool_call>")
    shot(stranger, "trace")
    assert accessibility_problems(stranger) == []

    page.goto(address)
    page.get_by_role("link", name="Continue in my own copy").click()
    shot(page, "copy")
    page.get_by_role("button", name="Make my copy").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    expect(page.locator("[data-role=assistant]")).to_have_count(1)
    expect(page.locator(".call")).to_have_count(1)


def test_the_preview_follows_the_choices(page: Page, seeded: Any) -> None:
    page.goto(f"{seeded['path']}share?turn=nothing")
    page.get_by_label("Only this question and its answer").check()
    expect(page.locator("[data-share-preview] .turn")).to_have_count(1)
    page.get_by_label("The conversation up to").check()
    expect(page.locator("[data-share-preview] .turn")).to_have_count(2)
