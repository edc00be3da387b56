"""Notifications of answers: from hidden tabs alone, once for all of them, never while one reads."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.stub import StubProcess
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

QUESTION = "数据库有几张表"
# An answer of two seconds.
MODELS = [{"label": "Paced", "name": "stub-r40-n80"}]
# Whether the tab counts as hidden; all tabs note what they notify of.
TAB = """(() => {
  let isHidden = HIDDEN;
  Object.defineProperty(document, "hidden", { get: () => isHidden });
  window.hide = () => {
    isHidden = true;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  window.Notification = class {
    static permission = "granted";
    constructor(title, { body }) {
      localStorage.shown = JSON.stringify([...JSON.parse(localStorage.shown ?? "[]"), body]);
    }
  };
})()"""


@pytest.fixture
def notified(page: Page, context: BrowserContext) -> Iterator[BrowserContext]:
    """The owner's browser, with notifications switched on."""
    context.grant_permissions(["notifications"])
    page.goto("/settings/")
    page.get_by_label("Notify me").check()
    page.locator("#general").get_by_role("button", name="Save").click()
    expect(page.get_by_text(": saved.")).to_be_visible()
    page.evaluate("localStorage.removeItem('shown')")
    page.close()
    yield context


def tab(context: BrowserContext, address: str, *, is_hidden: bool) -> Page:
    page = context.new_page()
    page.add_init_script(TAB.replace("HIDDEN", "true" if is_hidden else "false"))
    page.goto(address)
    return page


def shown(page: Page) -> list[str]:
    told: list[str] = page.evaluate("JSON.parse(localStorage.shown ?? '[]')")
    return told


def test_of_several_hidden_tabs_one_notifies_and_each_is_marked(
    notified: BrowserContext, stub: StubProcess
) -> None:
    chat = Chat(tab(notified, "/", is_hidden=False))
    chat.ask(QUESTION)
    chat.ended(1)
    others = [tab(notified, chat.page.url, is_hidden=True) for _ in range(2)]
    chat.page.get_by_label("Model", exact=True).select_option(label="Paced")
    chat.ask("Count.")
    chat.page.evaluate("hide()")
    chat.ended(2)
    for page in (chat.page, *others):
        expect(page).to_have_title(re.compile("^● "))
        Chat(page).ended(2)
    chat.page.wait_for_function("localStorage.shown !== undefined")
    assert shown(chat.page) == ["Answer complete"]


def test_nobody_is_told_of_what_a_visible_tab_shows(notified: BrowserContext) -> None:
    chat = Chat(tab(notified, "/", is_hidden=False))
    chat.ask(QUESTION)
    chat.ended(1)
    hidden = tab(notified, chat.page.url, is_hidden=True)
    chat.ask("分别有多少条记录")
    chat.ended(2)
    Chat(hidden).ended(2)
    expect(hidden).to_have_title(re.compile("^● "))
    assert shown(hidden) == []
    expect(chat.page).not_to_have_title(re.compile("^● "))
