"""A person's settings, temporary conversations, and settings of one conversation, in Chromium."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from benchmarks.product import Product
from tests.browser import accessibility
from tests.browser.chat import Chat
from tests.chromium import HIDDEN

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
QUESTION = "数据库有几张表"
COUNTED_MS = 20_000
# Playwright does not tell of requests that a page makes as it goes.
BEACONS = """(() => {
  const send = navigator.sendBeacon.bind(navigator);
  navigator.sendBeacon = (url, body) => {
    const taken = send(url, body);
    localStorage.beacons = `${url} ${taken}`;
    return taken;
  };
})()"""


@pytest.fixture
def phone(page: Page) -> Page:
    page.set_viewport_size(PHONE)
    return page


def root(page: Page) -> Any:
    return page.locator("html")


def save(page: Page, section: str) -> None:
    page.locator(f"#{section}").get_by_role("button", name="Save").click()
    expect(page.get_by_text(": saved.")).to_be_visible()


def test_the_settings_are_in_the_account_menu(phone: Page) -> None:
    phone.goto("/assistants/")
    phone.locator(".account-menu summary").click()
    phone.get_by_role("link", name="Settings").click()
    expect(phone.get_by_role("heading", name="Settings", level=1)).to_be_visible()


def test_a_theme_is_chosen_for_all_devices(
    page: Page, chromium: Browser, product: Product, signed_in: Any
) -> None:
    page.goto("/settings/")
    with page.expect_response("**/settings/theme") as kept:
        page.locator("#appearance").get_by_label("Dark").check()
    assert kept.value.status == 204
    expect(root(page)).to_have_attribute("data-theme", "dark")
    elsewhere = chromium.new_context(base_url=product.url, storage_state=signed_in)
    other = elsewhere.new_page()
    other.goto("/")
    expect(root(other)).to_have_attribute("data-theme", "dark")
    elsewhere.close()
    page.locator("#appearance").get_by_label("Compact").check()
    page.locator("#appearance").get_by_label("System").check()
    save(page, "appearance")
    expect(root(page)).to_have_attribute("data-density", "compact")
    expect(root(page)).to_have_attribute("data-theme", "system")


def test_ctrl_enter_sends_for_who_wants_it(page: Page) -> None:
    page.goto("/settings/")
    page.get_by_label("Ctrl+Enter").check()
    save(page, "general")
    page.goto("/")
    chat = Chat(page)
    chat.composer.fill(QUESTION)
    chat.composer.press("Enter")
    expect(chat.composer).to_have_value(f"{QUESTION}\n")
    chat.composer.press("Control+Enter")
    chat.ended(1)
    page.goto("/settings/")
    page.locator("#general").get_by_label("Enter", exact=True).check()
    save(page, "general")


def test_facts_are_added_changed_and_erased(page: Page) -> None:
    page.goto("/settings/")
    page.get_by_role("button", name="Turn memory on").click()
    page.get_by_label("New fact").fill("我住在上海 <b>")
    page.get_by_role("button", name="Add").click()
    fact = page.get_by_label("Fact 1", exact=True)
    expect(fact).to_have_value("我住在上海 <b>")
    fact.fill("我住在北京")
    fact.press("Enter")
    expect(page.get_by_text("The fact is changed.")).to_be_visible()
    expect(fact).to_have_value("我住在北京")
    assert accessibility.problems(page) == []
    page.get_by_role("button", name="Erase fact 1").click()
    expect(page.get_by_text("Nothing is remembered.")).to_be_visible()
    page.get_by_role("button", name="Turn memory off").click()


def test_a_temporary_conversation_is_in_no_list_and_can_be_kept(phone: Page) -> None:
    phone.goto("/")
    chat = Chat(phone)
    switch = phone.get_by_role("switch", name="Temporary")
    switch.focus()
    switch.press("Space")
    chat.ask(QUESTION)
    chat.ended(1)
    banner = phone.get_by_text("Temporary: erased when closed.")
    expect(banner).to_be_visible()
    link = phone.locator(f'[data-conversation-link="{chat.conversation}"]')
    expect(link).to_have_count(0)
    chat.reload()
    expect(banner).to_be_visible()
    phone.get_by_role("button", name="Keep", exact=True).click()
    expect(banner).to_be_hidden()
    expect(link).to_have_count(1)


def test_the_server_is_told_that_one_is_left(page: Page) -> None:
    page.add_init_script(BEACONS)
    page.goto("/")
    chat = Chat(page)
    page.get_by_role("switch", name="Temporary").check()
    chat.ask(QUESTION)
    chat.ended(1)
    address = f"/c/{chat.conversation}/leave"
    page.goto("/assistants/")
    assert page.evaluate("localStorage.beacons") == f"{address} true"


def test_a_conversation_gets_instructions_and_parameters(page: Page, problems: list[str]) -> None:
    page.goto("/")
    chat = Chat(page)
    chat.ask(QUESTION)
    chat.ended(1)
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Instructions and parameters").click()
    page.get_by_label("Instructions", exact=True).fill("请简短回答。")
    page.get_by_label("Temperature").fill("9")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator(".errorlist")).to_have_count(1)
    assert "422" in problems.pop()
    page.get_by_label("Temperature").fill("0.2")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("are saved")).to_be_visible()


def test_a_hidden_tab_tells_of_an_answer_that_is_done(page: Page) -> None:
    page.context.grant_permissions(["notifications"])
    page.goto("/settings/")
    page.get_by_label("Notify me").check()
    save(page, "general")
    page.add_init_script(HIDDEN)
    page.goto("/")
    chat = Chat(page)
    chat.ask(QUESTION)
    chat.ended(1)
    expect(page).to_have_title(re.compile("^● "))
    # After the title: no other tab may have told it.
    page.wait_for_function("window.told.length > 0")
    assert page.evaluate("window.told") == ["Answer complete"]


def heights(page: Page, address: str, *parts: str) -> list[float]:
    """In CSS pixels, of the first of each."""
    page.goto(address)
    found: list[float] = []
    for part in parts:
        expect(page.locator(part).first).to_be_visible()
        found.append(page.locator(part).first.evaluate("part => part.offsetHeight"))
    return found


def choose_density(page: Page, name: str) -> None:
    page.goto("/settings/")
    page.locator("#appearance").get_by_label(name).check()
    save(page, "appearance")


def test_compact_shows_more_of_lists_threads_and_tables(page: Page) -> None:
    choose_density(page, "Comfortable")
    page.goto("/")
    chat = Chat(page)
    chat.ask(QUESTION)
    chat.ended(1)
    thread = (page.url, "[data-conversation-link]", "[data-turn]", ".prose p")
    places = (thread, ("/search", ".result"), ("/traces/", "tbody tr"))
    before = [height for place in places for height in heights(page, *place)]
    choose_density(page, "Compact")
    after = [height for place in places for height in heights(page, *place)]
    pairs = zip(before, after, strict=True)
    assert all(compact < comfortable for comfortable, compact in pairs), (before, after)


def test_usage_and_sessions_fit_a_phone(phone: Page) -> None:
    phone.goto("/")
    chat = Chat(phone)
    chat.ask(QUESTION)
    chat.ended(1)
    phone.goto("/settings/#usage")
    # A worker counts what has ended.
    for _ in range(COUNTED_MS // 500):
        if phone.locator(".usage-table").count():
            break
        phone.wait_for_timeout(500)
        phone.reload()
    expect(phone.locator(".usage-table")).to_contain_text("walkthrough")
    expect(phone.locator("#sessions")).to_contain_text("this one")
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert phone.evaluate(overflow) == 0
    assert accessibility.problems(phone) == []
