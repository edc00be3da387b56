"""The interface in 简体中文: what is read and heard, and the switch."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from benchmarks.product import Product
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import opened

pytestmark = pytest.mark.browser

DESK: ViewportSize = {"width": 1440, "height": 900}
PAGES = (
    "/",
    "/assistants/",
    "/traces/",
    "/traces/dashboard/",
    "/playground/",
    "/providers/",
    "/skills/",
    "/servers/",
    "/settings/",
    "/accounts/password/set/",
)
WORD = re.compile(r"[A-Za-z]{3,}")
# Names, units and formats, and what people, models and servers wrote.
DATA = re.compile(
    r"\"?owner\"?|\b(Roundtrip|English|JSON|JSONL|CSV|Markdown|Redis|Ctrl|Enter|Shift|Alt|Esc"
    r"|Delete|Home|End|token|Token|MCP|GMT|UTC|Base|URL|API|OAuth|OpenAI|Anthropic|Claude|ChatGPT"
    r"|Qwen|Jinja|schema|Walkthrough|walkthrough|Coding|Database|assistant|sqlite|nous|native|turns"
    r"|tools|Chrome|Linux|calculate|todo|task|compact|students|COUNT|SELECT|FROM|ShareGPT|PDF|PNG"
    r"|JPEG|GIF|WebP|DOCX|Word|Open|WebUI|LibreChat|Agent|zip)\b|log表|word\*|\b[a-z]+_[a-z_]+\b"
    r"|SKILLS_DIR|hello-world|Plans, writes .*|Answers questions .*|Writes the file .*"
    r"|make run LOCAL_MODEL=1|[\w/.-]+\.(?:md|py|json|txt)|/[\w/.-]+|\b[A-Z]\w+/\w+\b"
)

# Addresses, the names of time zones, and what a server is started with.
NOT_SAID = re.compile(r"/url:|- option |--db-path")


@pytest.fixture
def chinese(
    chromium: Browser, product: Product, signed_in: Any, problems: list[str]
) -> Iterator[BrowserContext]:
    """The owner's browser, which asks for Chinese."""
    context = chromium.new_context(
        base_url=product.url,
        storage_state=signed_in,
        viewport=DESK,
        locale="zh-CN",
    )
    context.on("weberror", lambda error: problems.append(str(error.error)))
    yield context
    context.close()


@pytest.fixture
def page(chinese: BrowserContext) -> Page:
    return chinese.new_page()


def english(page: Page) -> list[str]:
    """Lines of the accessibility tree with words that are neither Chinese nor data."""
    tree = page.locator("body").aria_snapshot().splitlines()
    lines = (DATA.sub("", _said(line)) for line in tree if not NOT_SAID.search(line))
    return [line for line in lines if WORD.search(line)]


def _said(line: str) -> str:
    """A line of the tree without the role that it begins with."""
    return re.sub(r"^\s*- '?(?:/?[a-z]+)(?=[ :]|$)|\[[a-z=0-9]+\]", "", line)


def ask(page: Page, question: str) -> None:
    opened(page, lambda: page.goto("/"))
    composer = page.get_by_role("textbox", name="消息")
    composer.fill(question)
    composer.press("Enter")
    answer = page.locator("[data-role=assistant]").last
    expect(answer).to_have_attribute("data-state", "done")


def test_pages_are_chinese_for_a_reader_and_for_a_screen_reader(page: Page) -> None:
    for path in PAGES:
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
        assert english(page) == [], path


def test_a_conversation_and_its_trace_are_chinese(page: Page) -> None:
    ask(page, "数据库有几张表")
    expect(page.locator(".call-word").first).to_have_text("完成")
    assert accessibility_problems(page) == []
    page.get_by_role("link", name="追踪").last.click()
    expect(page.get_by_role("heading", name="输入", exact=True)).to_be_visible()
    assert accessibility_problems(page) == []


def test_a_status_of_a_running_answer_is_chinese(page: Page) -> None:
    opened(page, lambda: page.goto("/"))
    page.get_by_role("textbox", name="消息").fill("数据库有几张表")
    page.get_by_role("button", name="发送").click()
    status = page.locator("[data-status-text]").last
    expect(status).to_have_text(re.compile("[\u4e00-\u9fff]{2}"))


def test_the_switch_changes_the_language_and_keeps_the_draft(page: Page) -> None:
    opened(page, lambda: page.goto("/"))
    page.get_by_role("textbox", name="消息").fill("还没写完")
    _choose(page, "English")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("还没写完")
    _choose(page, "简体中文")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.get_by_role("textbox", name="消息")).to_have_value("还没写完")


def _choose(page: Page, language: str) -> None:
    page.locator(".account-menu > summary").click()
    page.get_by_role("button", name=language, exact=True).click()


def test_who_is_signed_out_can_choose_too(
    chromium: Browser, product: Product, problems: list[str]
) -> None:
    context = chromium.new_context(base_url=product.url, locale="en-US")
    page = context.new_page()
    page.goto("/accounts/login/")
    page.get_by_role("button", name="简体中文").click()
    expect(page.get_by_role("heading", name="登录")).to_be_visible()
    assert accessibility_problems(page) == []
    context.close()
