"""The *Coding assistant* over cassettes: it plans, writes files, uses a skill, and delegates."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.product import Product
from tests.browser.chat import Chat
from tests.recordings.scripts import CODE, COMMENT, COMPARE, GREETING, HELLO, NOTES, SKILL

pytestmark = pytest.mark.browser

RECORDINGS = Path(__file__).parents[1] / "recordings"
TOOLS = ("bash", "read_file", "write_file", "edit_file", "list_files")


@pytest.fixture(scope="module", autouse=True)
def cassettes(chromium: Browser, product: Product, signed_in: Any) -> None:
    """An admin has switched the workspace's tools on and uploaded the recordings."""
    context = chromium.new_context(base_url=product.url, storage_state=signed_in)
    page = context.new_page()
    page.goto("/servers/built-in/")
    for tool in TOOLS:
        with page.expect_response("**/built-in/change"):
            page.get_by_role("switch", name=f"Offer {tool}", exact=True).check(force=True)
    for name in ("hello", "skill", "subagents"):
        upload(page, name)
    context.close()


def upload(page: Page, name: str) -> None:
    page.goto("/providers/")
    page.get_by_role("link", name="Add a provider").first.click()
    page.get_by_role("link", name="A cassette", exact=True).click()
    page.get_by_label("File", exact=True).set_input_files(RECORDINGS / f"{name}.cassette.json")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def begin(chat: Chat, cassette: str) -> None:
    """A new conversation with the assistant, whose model is a recording."""
    page = chat.page
    page.goto("/assistants/")
    page.locator("li", has_text="Coding assistant").get_by_role("link", name="Start").click()
    page.get_by_label("Model", exact=True).select_option(label=f"scripted ({cassette})")
    page.wait_for_load_state()


def allow(chat: Chat, tool: str) -> None:
    """Lets a tool run for the rest of the conversation, when it asks."""
    asked = chat.page.get_by_role("region", name=f"May {tool} run?").first
    asked.get_by_role("button", name="Allow for this conversation").click()


def plan(page: Page) -> Locator:
    return page.get_by_role("region", name="Plan")


def expect_statuses(page: Page, *statuses: str) -> None:
    items = plan(page).locator("li")
    expect(items).to_have_count(len(statuses))
    for place, status in enumerate(statuses):
        expect(items.nth(place)).to_have_attribute("data-status", status)


def test_it_writes_copies_and_comments_a_program(chat: Chat) -> None:
    page = chat.page
    begin(chat, "hello")
    chat.ask(CODE)
    expect(page.get_by_role("region", name="May write_file run?")).to_be_visible()
    expect_statuses(page, "in_progress", "pending", "pending")
    allow(chat, "write_file")
    allow(chat, "bash")
    expect(page.get_by_role("region", name="May edit_file run?")).to_be_visible()
    expect_statuses(page, "completed", "completed", "in_progress")
    allow(chat, "edit_file")
    chat.ended(1)
    expect_statuses(page, "completed", "completed", "completed")
    workspace(page, {"hello.py": HELLO, "greeting.py": COMMENT + HELLO})


def workspace(page: Page, files: dict[str, str]) -> None:
    """The files panel has these files, and shows what is in them."""
    page.get_by_role("button", name=f"Files {len(files)}").click()
    panel = page.get_by_role("dialog", name="Files")
    for name, text in files.items():
        panel.get_by_role("button", name=name).first.click()
        expect(panel).to_contain_text(text.splitlines()[-1])
        panel.get_by_role("button", name="Back").click()


def test_it_does_what_a_skill_says(chat: Chat) -> None:
    begin(chat, "skill")
    chat.ask(SKILL)
    allow(chat, "write_file")
    allow(chat, "bash")
    answer = chat.ended(1)
    expect(answer).to_contain_text("hello.txt has the two lines.")
    workspace(chat.page, {"hello.txt": GREETING})


def test_two_subagents_read_at_the_same_time(chat: Chat) -> None:
    begin(chat, "subagents")
    chat.ask(NOTES)
    allow(chat, "write_file")
    chat.ended(1)
    chat.ask(COMPARE)
    allow(chat, "read_file")
    answer = chat.ended(2)
    trace = chat.trace(answer)
    assert [call["name"] for call in trace["rounds"][0]["tool_calls"]] == ["task", "task"]
    answer.get_by_role("link", name="Trace", exact=True).last.click()
    page = chat.page
    for title in ("Read a.txt", "Read b.txt"):
        expect(page.get_by_role("main")).to_contain_text(title)
    page.get_by_role("link", name="Trace of the subagent").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Read a.txt")
