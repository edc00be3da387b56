"""The command palette: every action by its name, by keyboard, on a phone; and the shortcut list."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, ViewportSize, expect

from chat.search.indexing import index_noted
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tests import axe

pytestmark = pytest.mark.browser
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture
def home(page: Page, wire: Wire) -> Page:
    page.goto("/")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    return page


def _open(page: Page, query: str = "") -> None:
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search commands and conversations")
    expect(field).to_be_focused()
    field.fill(query)


def _chosen(page: Page, name: str | re.Pattern[str]) -> None:
    option = page.locator("#palette [aria-selected=true] [data-option-name]")
    expect(option).to_have_text(name)


def test_a_command_is_found_by_some_of_its_letters_and_run_by_enter(home: Page) -> None:
    _open(home, "dark")
    _chosen(home, "Theme: Dark")
    home.keyboard.press("Enter")
    expect(home.locator("html")).to_have_attribute("data-theme", "dark")
    expect(home.locator("#palette")).to_be_hidden()


def test_the_arrows_choose_and_escape_gives_the_focus_back(home: Page) -> None:
    _open(home, "theme")
    chosen = home.locator("#palette [aria-selected=true]")
    before = chosen.inner_text()
    home.keyboard.press("ArrowDown")
    expect(chosen).not_to_have_text(before, use_inner_text=True)
    field = home.locator("[data-palette-input]")
    expect(field).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")
    home.keyboard.press("Escape")
    expect(home.get_by_role("textbox", name="Message")).to_be_focused()


def test_what_was_run_last_comes_first(home: Page) -> None:
    _open(home, "theme: light")
    home.keyboard.press("Enter")
    expect(home.locator("#palette")).to_be_hidden()
    _open(home)
    _chosen(home, "Theme: Light")
    expect(home.locator("#palette .option-label").first).to_have_text("Recent")


def test_conversations_are_found_and_opened(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner, "数据库有几张表")
    index_noted()
    page.goto("/")
    _open(page, "几张表")
    page.get_by_role("option", name="数据库有几张表").click()
    page.wait_for_url(f"**{conversation.url}**")


def test_a_conversation_has_the_commands_of_its_menu(page: Page, wire: Wire, owner: User) -> None:
    page.goto(AConversation(owner).url)
    _open(page, "rename")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Title")).to_be_focused()


def test_what_cannot_be_done_now_is_not_there(home: Page) -> None:
    _open(home, "rename")
    expect(home.locator("[data-palette-said]")).to_contain_text(re.compile("result|No matches"))
    expect(home.get_by_role("option", name="Rename")).to_have_count(0)


def test_nothing_that_fits_says_so(home: Page) -> None:
    _open(home, "zzzzqqq")
    expect(home.locator("[data-palette-said]")).to_have_text("No matches.")
    expect(home.locator("[data-palette-said]")).to_be_visible()


def test_another_page_has_the_palette_too(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/traces/")
    _open(page, "assistants")
    page.keyboard.press("Enter")
    page.wait_for_url("**/assistants/")


def test_the_shortcuts_are_those_of_the_commands(home: Page) -> None:
    home.locator("#title").click()
    home.keyboard.press("?")
    rows = home.locator("#shortcuts dt")
    expect(rows.filter(has_text="Search commands and conversations")).to_have_count(1)
    expect(rows.filter(has_text="Send the message")).to_have_count(1)
    expect(rows.filter(has_text="New conversation")).to_have_count(1)


def test_on_a_phone_it_is_a_sheet_with_rows_for_fingers(
    page: Page, wire: Wire, owner: User
) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/")
    page.get_by_role("button", name="Conversations").first.click()
    page.get_by_role("button", name="Commands").click()
    expect(page.locator("#palette [role=option]").first).to_be_visible()
    box = page.locator("#palette").bounding_box()
    assert box is not None
    assert (box["x"], box["width"], round(box["y"] + box["height"])) == (0, 390, 844)
    row = page.locator("#palette [role=option]").first.bounding_box()
    assert row is not None and row["height"] >= 44


def test_axe_finds_nothing_in_it(home: Page) -> None:
    _open(home)
    expect(home.locator("#palette [role=option]").first).to_be_visible()
    assert axe.run(home, within="#palette")["broken"] == []
