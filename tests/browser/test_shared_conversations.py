"""A conversation of the owner, and a member of a group in another browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from benchmarks.product import Product
from chat.cassettes.walkthrough import questions
from tests.browser import accessibility
from tests.browser.chat import Chat, opened
from tests.browser.group_seeding import GROUP
from tests.chromium import cookie_at

pytestmark = pytest.mark.browser

TABLES, COUNTS, STRUCTURE, AGE = questions()
PHONE: ViewportSize = {"width": 390, "height": 844}
# Who is there is told within some seconds.


@pytest.fixture
def guest(chromium: Browser, product: Product, problems: list[str]) -> Iterator[BrowserContext]:
    """The browser of bob, who is in a group with the owner."""
    cookie = product.run("tests.browser.group_seeding", {"name": "bob"})
    context = chromium.new_context(base_url=product.url, service_workers="block")
    context.add_cookies([cookie_at(product.url, cookie)])
    context.on("weberror", lambda error: problems.append(str(error.error)))
    yield context
    context.close()


@pytest.fixture
def shared(guest: BrowserContext, chat: Chat) -> Chat:
    """A conversation with one answer, shared to write in."""
    chat.ask(TABLES)
    chat.ended(1)
    share(chat.page, write=True)
    return chat


def share_dialog(page: Page) -> Locator:
    page.locator("#conversation-menu > summary").click()
    page.get_by_role("button", name="Share with a group").click()
    return page.get_by_role("dialog", name="Share with a group")


def share(page: Page, *, write: bool) -> None:
    dialog = share_dialog(page)
    dialog.get_by_role("radio", name=GROUP).check()
    if write:
        dialog.get_by_role("checkbox", name="Members can write too").check()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("Shared.")
    page.keyboard.press("Escape")


def joined(guest: BrowserContext, chat: Chat) -> Chat:
    page = guest.new_page()
    opened(page, lambda: page.goto(chat.page.url))
    return Chat(page)


def test_two_people_write_in_one_conversation(shared: Chat, guest: BrowserContext) -> None:
    bob = joined(guest, shared)
    expect(bob.page.locator("#together")).to_contain_text("Shared by")
    expect(shared.page.locator("#together")).to_contain_text("here: bob")
    bob.composer.press_sequentially("How")
    expect(shared.page.locator("#together")).to_contain_text("bob is writing")
    bob.ask(COUNTS)
    bob.ended(2)
    shared.ended(2)
    expect(shared.page.locator(".message-author")).to_have_text(["bob"])
    expect(bob.page.locator(".message-author").first).to_be_visible()
    expect(bob.page.locator("article.turn").nth(1).locator(".message-author")).to_have_count(0)
    assert accessibility.problems(bob.page) == []
    assert accessibility.problems(shared.page) == []


def test_one_turn_at_a_time_and_each_changes_own_messages(
    shared: Chat, guest: BrowserContext, slow_model: str
) -> None:
    bob = joined(guest, shared)
    shared.talk(slow_model)
    expect(bob.stop).to_be_hidden()
    bob.ask(STRUCTURE)
    line = shared.page.get_by_role("region", name="Queue").get_by_role("listitem")
    expect(line).to_have_count(1)
    expect(line.locator(".queued-author")).to_have_text("bob")
    shared.ask(AGE)
    of_bob = bob.page.get_by_role("region", name="Queue").get_by_role("listitem")
    expect(of_bob).to_have_count(2)
    expect(of_bob.nth(0).get_by_role("button", name="Withdraw")).to_be_visible()
    expect(of_bob.nth(1).get_by_role("button", name="Withdraw")).to_have_count(0)
    shared.stop.click()
    shared.ended(2, "stopped")
    for number in (3, 4):
        expect(bob.answers.nth(number - 1)).to_have_attribute("data-state", "done")


def test_a_reader_reads_what_streams_and_has_nowhere_to_write(
    chat: Chat, guest: BrowserContext
) -> None:
    chat.ask(TABLES)
    chat.ended(1)
    expect(share_dialog(chat.page).get_by_role("radio", name=GROUP)).to_be_visible()
    assert accessibility.problems(chat.page) == []
    chat.page.keyboard.press("Escape")
    share(chat.page, write=False)
    bob = joined(guest, chat)
    expect(bob.page.get_by_text("shared with you to read")).to_be_visible()
    expect(bob.composer).to_be_hidden()
    expect(bob.page.get_by_role("link", name="Trace", exact=True)).to_have_count(0)
    chat.ask(COUNTS)
    bob.ended(2)
    assert accessibility.problems(bob.page) == []


def test_the_end_of_the_share_ends_it_on_the_open_page(
    shared: Chat, guest: BrowserContext, problems: list[str]
) -> None:
    bob = joined(guest, shared)
    dialog = share_dialog(shared.page)
    expect(dialog.get_by_role("button", name="End")).to_be_visible()
    assert accessibility.problems(shared.page) == []
    dialog.get_by_role("button", name="End").click()
    expect(dialog.get_by_role("status")).to_contain_text("has ended")
    banner = bob.page.locator('[data-banner="unshared"]')
    expect(banner).to_be_visible()
    response = bob.page.request.get(shared.page.url)
    assert response.status == 404


def test_who_leaves_the_group_is_out_at_once(
    shared: Chat, guest: BrowserContext, product: Product
) -> None:
    bob = joined(guest, shared)
    product.run("tests.browser.group_seeding", {"name": "bob", "leaves": True})
    expect(bob.page.locator('[data-banner="unshared"]')).to_be_visible()


def test_a_phone_has_it_in_the_sidebar(shared: Chat, guest: BrowserContext) -> None:
    page = guest.new_page()
    page.set_viewport_size(PHONE)
    page.goto("/")
    page.get_by_role("button", name="Conversations", exact=True).click()
    section = page.get_by_role("region", name="Shared with me")
    expect(section).to_contain_text("by ")
    opened(page, section.get_by_role("link").first.click)
    expect(page.locator("#together")).to_contain_text("Shared by")
    bob = Chat(page)
    bob.ask(AGE)
    bob.ended(2)
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide
    assert accessibility.problems(page) == []
