"""The page of built-in tools, and the tools of a conversation's menu that have to be named."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import problems as problems_of

pytestmark = pytest.mark.browser


def test_an_admin_switches_a_tool_for_everybody(page: Page) -> None:
    page.goto("/servers/")
    page.get_by_role("link", name="Built-in tools").click()
    switch = page.get_by_role("switch", name="Offer compact")
    switch.uncheck()
    expect(page.get_by_text("Saved")).to_be_visible()
    assert problems_of(page) == []
    page.reload()
    expect(switch).not_to_be_checked()
    page.goto("/")
    page.locator("#tools-menu > summary").click()
    page.locator("#tools-of- > summary").click()
    expect(page.get_by_role("checkbox", name="todo")).to_be_visible()
    expect(page.get_by_role("checkbox", name="compact")).to_have_count(0)


def test_a_tool_that_has_to_be_named_is_switched_on_for_one_conversation(page: Page) -> None:
    page.goto("/")
    page.locator("#tools-menu > summary").click()
    page.locator("#tools-of- > summary").click()
    todo = page.get_by_role("checkbox", name="todo")
    todo.check()
    expect(page.get_by_text("7 tools, all sent with each request")).to_be_visible()
    assert problems_of(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("textbox", name="Message").fill("数据库有几张表")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/**")
    page.reload()
    page.locator("#tools-menu > summary").click()
    page.locator("#tools-of- > summary").click()
    expect(todo).to_be_checked()
