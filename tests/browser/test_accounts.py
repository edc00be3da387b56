"""Connecting an account at a server: from its page, by its own sign-in, to a call in a chat."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.product import Product
from benchmarks.stub import stub_process
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat
from tools.tests.servers.authorizing import authorizing

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server_page(product: Product) -> Iterator[str]:
    with authorizing() as authority, stub_process() as stub:
        wanted = {"base_url": stub.base_url, "url": f"{authority.base}/mcp"}
        yield product.run("tests.browser.account_server", wanted)["page"]


def press(page: Page, name: str) -> None:
    page.locator("#account").get_by_role("button", name=name).click()


def test_an_account_is_connected_used_and_disconnected(
    server_page: str, context: BrowserContext
) -> None:
    page = context.new_page()
    page.goto(server_page)
    account = page.locator("#account")
    expect(account).to_contain_text("requires a personal sign-in")
    press(page, "Connect your account")
    onwards = account.get_by_role("link", name="Continue at 127.0.0.1")
    expect(onwards).to_be_visible()
    assert accessibility_problems(page) == []
    onwards.click()
    expect(account).to_contain_text("Connected.")
    assert accessibility_problems(page) == []
    chat = _asked(context)
    expect(chat.page.locator("[data-call-outcome]").first).to_have_text("milk")
    press(page, "Disconnect")
    expect(account).to_contain_text("requires a personal sign-in")
    chat = _asked(context)
    chat.page.get_by_role("link", name="Connect your account at notes").click()
    expect(chat.page).to_have_url(f"{page.url.partition('#')[0]}#account")


def _asked(context: BrowserContext) -> Chat:
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option(label="Caller")
    chat = Chat(page)
    chat.ask("call notes-note {}")
    chat.ended(1)
    return chat
