"""The trace of a running turn, which fills in as it happens."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.stub.text import TIMED_TOKEN
from tests.browser.chat import Chat

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("stub")]

MODELS = [
    {"label": "Slow", "name": "stub-r8-n80"},
    {"label": "Thinks", "name": "stub-r8-z24-n24"},
]
RUNNING_MS = 60_000


def open_trace(chat: Chat, context: BrowserContext, model: str) -> Page:
    """The trace of a turn that has just begun to run, in another tab."""
    chat.page.get_by_label("Model", exact=True).select_option(label=model)
    chat.ask("What now?")
    link = chat.answers.last.get_by_role("link", name="Trace", exact=True)
    href = str(link.get_attribute("href"))
    page = context.new_page()
    page.goto(href)
    return page


def numbers(text: str) -> list[int]:
    """Those of the stub's tokens that are shown."""
    return [int(token[1]) for token in TIMED_TOKEN.finditer(text)]


def test_the_words_of_a_running_turn_come_before_it_ends(
    chat: Chat, context: BrowserContext
) -> None:
    page = open_trace(chat, context, "Slow")
    stream = page.locator("#stage-response [data-stream]")
    expect(stream).to_contain_text(TIMED_TOKEN, timeout=RUNNING_MS)
    early = stream.inner_text()
    expect(page.locator(".trace-head .state")).to_have_text("running")
    page.wait_for_function(
        "before => document.querySelector('[data-stream]')?.innerText.length > before",
        arg=len(early),
    )
    expect(page.locator(".trace-head .state")).to_have_text("done", timeout=RUNNING_MS)
    expect(stream).to_have_count(0)
    body = page.locator("#stage-response .stage-body")
    assert numbers(body.inner_text())[: len(numbers(early))] == numbers(early)
    expect(page.locator("#stage-output .stage-body")).to_contain_text(TIMED_TOKEN)


def test_reasoning_comes_in_its_own_place(chat: Chat, context: BrowserContext) -> None:
    page = open_trace(chat, context, "Thinks")
    heading = page.locator("#stage-response [data-stream]").get_by_role("heading")
    expect(heading).to_have_text("Reasoning", timeout=RUNNING_MS)


def test_without_a_socket_the_page_still_fills_in(chat: Chat, context: BrowserContext) -> None:
    page = context.new_page()
    page.route_web_socket(re.compile("/ws/chat/"), lambda socket: socket.close())
    chat.page.get_by_label("Model", exact=True).select_option(label="Thinks")
    chat.ask("What now?")
    link = chat.answers.last.get_by_role("link", name="Trace", exact=True)
    page.goto(str(link.get_attribute("href")))
    expect(page.locator(".trace-head .state")).to_have_text("done", timeout=RUNNING_MS)
    expect(page.locator("#stage-output .stage-body")).to_contain_text(TIMED_TOKEN)
