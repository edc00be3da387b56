"""An admin pastes, tests, reviews and tries servers; people choose them for a conversation."""

import json
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from benchmarks.product import Product
from tests.browser.accessibility import problems as problems_of

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
ODD = ROOT / "tools/tests/servers/odd.py"
# A check goes through Redis and a worker, and starts a program.
SECRET = "canary-of-a-browser-77"


def pasted(**servers: dict[str, object]) -> str:
    return json.dumps({"mcpServers": servers}, indent=2)


def odd(**more: object) -> dict[str, object]:
    return {"command": sys.executable, "args": [str(ODD)], **more}


def paste(page: Page, text: str) -> None:
    page.goto("/servers/")
    page.get_by_role("link", name="Paste JSON").click()
    page.get_by_label("mcpServers JSON").fill(text)
    page.get_by_role("button", name="Look at it").click()


def register(page: Page, name: str) -> None:
    paste(page, pasted(**{name: odd()}))
    page.get_by_role("button", name="Register and test").click()
    expect(page.get_by_text("Connected in")).to_be_visible()


def test_pasted_servers_are_shown_before_anything_starts(page: Page) -> None:
    env = {"TOKEN": SECRET, "OTHER": "${input:key}"}
    paste(page, pasted(**{"My Odd One": odd(env=env)}))
    expect(page.get_by_role("heading", level=1)).to_have_text("These servers will be registered")
    expect(page.get_by_text("written as My Odd One")).to_be_visible()
    expect(page.get_by_text(SECRET)).to_be_hidden()
    assert problems_of(page) == []
    page.get_by_label("input:key").fill("value")
    page.get_by_role("button", name="Register and test").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("my-odd-one")
    expect(page.get_by_text("Connected in")).to_be_visible()
    assert problems_of(page) == []


def test_a_fault_in_the_json_names_its_line(page: Page, problems: list[str]) -> None:
    paste(page, '{\n  "mcpServers": {\n    // mine\n    a: 1\n  }\n}')
    expect(page.get_by_text("Line 4, column 5: texts and names need")).to_be_visible()
    problems.clear()  # the browser writes down every answer that is not 2xx


def test_a_server_is_tested_before_it_is_saved(page: Page) -> None:
    page.goto("/servers/new")
    page.get_by_label("Name", exact=True).fill("unsaved")
    page.get_by_label("Command", exact=True).fill(sys.executable)
    page.get_by_label("Arguments", exact=True).fill(str(ODD))
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()
    log = page.get_by_role("list", name="What happened")
    expect(log.get_by_text("→ sent").first).to_be_visible()
    expect(log.get_by_text("← received").first).to_be_visible()
    assert problems_of(page) == []
    page.goto("/servers/")
    expect(page.get_by_role("link", name="unsaved")).to_have_count(0)


def test_what_a_program_said_before_it_died_is_in_the_log(page: Page) -> None:
    page.goto("/servers/new")
    page.get_by_label("Name", exact=True).fill("dies")
    page.get_by_label("Command", exact=True).fill(sys.executable)
    page.get_by_label("Arguments", exact=True).fill("-c \"raise SystemExit('no licence found')\"")
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_role("alert").get_by_text("No connection")).to_be_visible()
    expect(page.get_by_text("no licence found").first).to_be_visible()


def is_change(response: Response) -> bool:
    return response.request.method == "POST"


def test_a_tool_is_switched_and_its_policy_is_set(page: Page) -> None:
    register(page, "switched")
    row = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="echo", exact=True))
    with page.expect_response(is_change):
        row.get_by_role("switch").uncheck()
    expect(page.get_by_text("Saved")).to_be_visible()
    with page.expect_response(is_change):
        row.get_by_role("combobox").select_option("deny")
    page.reload()
    expect(row.get_by_role("switch")).not_to_be_checked()
    expect(row.get_by_role("combobox")).to_have_value("deny")


def test_a_tool_is_found_among_many(page: Page) -> None:
    register(page, "searched")
    shown = page.locator(".tool-row").locator("visible=true")
    all_tools = shown.count()
    page.get_by_label("Find a tool").fill("ech")
    expect(shown).not_to_have_count(all_tools)
    expect(page.get_by_role("link", name="echo", exact=True)).to_be_visible()


def test_a_tool_is_tried_and_leaves_a_trace(page: Page) -> None:
    register(page, "tried")
    page.get_by_role("link", name="echo", exact=True).click()
    page.get_by_label("text").fill("hello <b>there</b>")
    page.get_by_role("button", name="Call echo").click()
    expect(page.get_by_text("hello <b>there</b>").first).to_be_visible()
    assert problems_of(page) == []
    page.get_by_role("link", name="Trace of this call").click()
    expect(page.get_by_text("tried-echo").first).to_be_visible()


def test_a_conversation_chooses_its_tools_before_its_first_message(
    page: Page, product: Product
) -> None:
    register(page, "chosen")
    page.goto("/")
    page.locator("#tools-menu > summary").click()
    server = page.get_by_role("group", name="chosen", exact=True)
    switch = server.get_by_role("switch")
    switch.uncheck() if switch.is_checked() else switch.check()
    is_on = switch.is_checked()
    assert problems_of(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("textbox", name="Message").fill("数据库有几张表")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/**")
    page.reload()
    page.locator("#tools-menu > summary").click()
    expect(switch).to_be_checked(checked=is_on)
