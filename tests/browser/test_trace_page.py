"""The trace page, the admin's lists and the servers' pages, on what the walkthrough left."""

import re
import shlex
import sys
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.product import ROOT, Product
from chat.cassettes.walkthrough import questions
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

_, COUNTS, _, AGE = questions()
STAGES = ["input", "request", "response", "output"]
LISTS = {
    "traces": "tracing/trace",
    "spans": "tracing/span",
    "conversations": "chat/conversation",
    "turns": "chat/turn",
    "providers": "chat/provider",
    "models": "chat/languagemodel",
    "MCP servers": "tools/server",
    "users": "auth/user",
}
SQLITE_TOOLS = [
    "read_query",
    "write_query",
    "create_table",
    "list_tables",
    "describe_table",
    "append_insight",
]


@pytest.fixture(scope="module")
def conversation(chromium: Browser, product: Product, signed_in: Any) -> str:
    """The address of a conversation with two turns: of two and of three rounds."""
    context = chromium.new_context(base_url=product.url, storage_state=signed_in)
    chat = Chat(context.new_page())
    chat.page.goto("/")
    for number, question in enumerate((COUNTS, AGE), 1):
        chat.ask(question)
        chat.ended(number)
    url = chat.page.url
    context.close()
    return url


def open_trace(page: Page, conversation: str, turn: int) -> None:
    """By the answer's link, as a reader does."""
    page.goto(conversation)
    page.get_by_role("link", name="Trace", exact=True).nth(turn - 1).click()


def expect_round(page: Page, number: int, last: int) -> None:
    expect(page.locator("#place")).to_have_text(f"Round {number} of {last}")
    expect(page.get_by_role("heading", name=f"Round {number}", exact=True)).to_be_visible()


def span(bar: Locator) -> tuple[float, float]:
    """From where to where a bar goes, in pixels."""
    box = bar.bounding_box()
    assert box is not None
    return box["x"], box["x"] + box["width"]


def test_an_answers_trace_steps_through_its_rounds(page: Page, conversation: str) -> None:
    open_trace(page, conversation, 2)
    expect(page.get_by_role("heading", level=1)).to_have_text(AGE)
    expect_round(page, 1, 3)
    for number in (2, 3):
        page.get_by_role("button", name="Next round").click()
        expect_round(page, number, 3)
    for number in (2, 1):
        page.keyboard.press("[")
        expect_round(page, number, 3)
    page.keyboard.press("]")
    expect_round(page, 2, 3)


def test_each_round_shows_its_four_stages(page: Page, conversation: str) -> None:
    open_trace(page, conversation, 2)
    for number in (1, 2, 3):
        expect_round(page, number, 3)
        for stage in STAGES:
            heading = page.get_by_role("heading", name=stage, exact=True)
            expect(heading).to_be_visible()
            expect(page.locator(f"#stage-{stage} .stage-body")).not_to_be_empty()
        page.keyboard.press("]")
    expect(page.locator("#stage-output")).to_contain_text("韩梅梅的年龄是 6 岁")


def test_the_dialects_text_is_in_the_request_and_the_calls_in_the_output(
    page: Page, conversation: str
) -> None:
    open_trace(page, conversation, 1)
    expect(page.locator("#stage-input")).not_to_contain_text("# Tools")
    expect(page.locator("#stage-request")).to_contain_text("# Tools")
    expect(page.locator("#stage-response")).to_contain_text("<tool_call>")
    expect(page.locator("#stage-output .message-call")).to_have_count(3)


def test_bars_of_parallel_calls_overlap(page: Page, conversation: str) -> None:
    open_trace(page, conversation, 1)
    calls = page.get_by_role("article", name="Call of sqlite-read_query")
    expect(calls).to_have_count(3)
    starts = [span(call.locator(".bars .bar").first)[0] for call in calls.all()]
    ends = [span(call.locator(".bars .bar").last)[1] for call in calls.all()]
    assert max(starts) < min(ends)
    expect(page.get_by_role("heading", name="3 tool calls in parallel")).to_be_visible()


def test_parallel_calls_share_a_row_of_the_tree_and_each_has_an_address(
    page: Page, conversation: str
) -> None:
    open_trace(page, conversation, 1)
    tree = page.get_by_role("navigation", name="Rounds")
    expect(tree.get_by_text("3 calls in parallel")).to_be_visible()
    tree.get_by_role("link", name=re.compile("read_query")).nth(1).click()
    expect(page).to_have_url(re.compile(r"\?round=1&span="))
    expect(page.locator("#chosen")).to_contain_text("SELECT COUNT(*)")
    expect(tree.locator('[aria-current="location"]')).to_contain_text("read_query")
    page.reload()
    expect(page.locator("#chosen")).to_contain_text("SELECT COUNT(*)")


def test_the_ledger_says_where_the_time_went_and_sums_to_all_of_it(
    page: Page, conversation: str
) -> None:
    open_trace(page, conversation, 2)
    ledger = page.get_by_role("group", name="Where the time of the turn went")
    for words in ("queue", "streaming", "tools", "100 %"):
        expect(ledger).to_contain_text(words)
    expect(ledger.locator(".ledger-sum")).to_be_visible()  # once the script has unfolded it
    shares = re.findall(r"([\d.]+) %", ledger.inner_text().replace("< 0.1 %", ""))
    assert sum(map(float, shares[:-1])) == pytest.approx(100)


def test_a_conversations_turns_are_listed_and_lead_to_their_rounds(
    page: Page, conversation: str
) -> None:
    open_trace(page, conversation, 2)
    page.get_by_role("link", name="All turns").click()
    expect(page.locator(".turn-name")).to_have_text([COUNTS, AGE])
    page.get_by_role("list", name="Rounds of turn 2").get_by_role("link").nth(2).click()
    expect_round(page, 3, 3)


@pytest.mark.parametrize("name", LISTS)
def test_the_admin_lists(page: Page, conversation: str, name: str) -> None:
    reply = page.request.get(f"/admin/{LISTS[name]}/")
    assert reply.ok
    assert 'class="action-select"' in reply.text() or "field-" in reply.text()


def test_each_trace_row_of_the_admin_opens_the_trace_page(page: Page, conversation: str) -> None:
    page.goto("/admin/tracing/trace/")
    rows = page.locator("#result_list tbody tr")
    links = [row.locator("a[href^='/traces/']").first for row in rows.all()]
    assert len(links) == 2
    for url in [link.get_attribute("href") for link in links]:
        page.goto(str(url))
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"{COUNTS}|{AGE}"))
        expect_round(page, 1, int(page.locator("#place").inner_text().split()[-1]))


def test_an_admin_registers_a_stdio_server_and_sees_its_tools(
    page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("server") / "notes.sqlite3"
    page.goto("/servers/")
    page.get_by_role("link", name="Register a server").click()
    page.get_by_label("Name", exact=True).fill("notes")
    page.get_by_label("Command", exact=True).fill(sys.executable)
    arguments = ["-m", "tools.mcp.servers.sqlite", "--db-path", str(file)]
    page.get_by_label("Arguments").fill(shlex.join(arguments))
    page.get_by_label("Working directory").fill(str(ROOT))
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Test", exact=True).click()
    connected = page.get_by_text(re.compile(r"Connected in .+ and listed 6 tools\."))
    expect(connected).to_be_visible()
    expect(page.locator("#tool-rows a code")).to_have_text(SQLITE_TOOLS)
    page.goto("/servers/")
    row = page.get_by_role("row").filter(has_text="notes")
    expect(row).to_contain_text("works")
    expect(row.get_by_role("cell", name="6", exact=True)).to_be_visible()


def test_a_server_that_does_not_start_says_why(page: Page) -> None:
    page.goto("/servers/new")
    page.get_by_label("Name", exact=True).fill("broken")
    page.get_by_label("Command", exact=True).fill(sys.executable)
    page.get_by_label("Arguments").fill("-c 'raise SystemExit(\"no such database\")'")
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_text("No connection:")).to_be_visible()
    log = page.get_by_role("list", name="What happened")
    expect(log).to_contain_text("no such database")
