"""What a screen reader is told while an answer comes: politely, and once, what it says at its end.
And what does not move, for whom movement is switched off."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchmarks.product import Product
from tests.browser.chat import Chat, opened

pytestmark = pytest.mark.browser

QUESTION = "数据库有几张表"
# Notes each text that a live region comes to have, and how urgently it is said.
LISTENER = """(() => {
  window.told = [];
  const LIVE = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], output";
  const note = (record) => {
    const target = record.target.nodeType === 1 ? record.target : record.target.parentElement;
    const region = target?.closest(LIVE);
    if (!region || region.closest("[hidden], [aria-live=off]")) return;
    const urgency = region.matches("[role=alert], [aria-live=assertive]") ? "assertive" : "polite";
    const text = region.textContent.trim().replace(/\\s+/g, " ");
    if (text) window.told.push([urgency, text]);
  };
  new MutationObserver((records) => records.forEach(note)).observe(
    document, { subtree: true, childList: true, characterData: true });
})()"""
# Animations that run, and elements that would move.
MOVING = """() => {
  const long = (value) => value.split(", ").some((one) => parseFloat(one) > 0.001);
  const runs = (one) => one.effect.getComputedTiming().endTime > 1;
  const found = document.getAnimations().filter(runs).map((one) => one.effect.target?.className);
  for (const one of document.querySelectorAll("*")) {
    for (const part of [null, "::before", "::after"]) {
      const style = getComputedStyle(one, part);
      const isAnimated = style.animationName !== "none" && long(style.animationDuration);
      const isSmooth = style.scrollBehavior === "smooth";
      if (isAnimated || isSmooth || long(style.transitionDuration)) found.push(one.className);
    }
  }
  return [...new Set(found.map(String))];
}"""


@pytest.fixture
def told(page: Page) -> Iterator[Any]:
    page.add_init_script(LISTENER)

    def told() -> list[list[str]]:
        found: list[list[str]] = page.evaluate("window.told")
        return found

    yield told


def test_an_answer_is_said_once_and_politely_when_it_is_complete(page: Page, told: Any) -> None:
    opened(page, lambda: page.goto("/"))
    chat = Chat(page)
    chat.ask(QUESTION)
    chat.speaking()
    assert [text for _, text in told() if text.startswith("Answer")] == []
    answer = chat.ended(1)
    expect(page.locator("#announcer")).to_contain_text("Answer complete: ")
    words = " ".join(answer.locator(".prose").last.inner_text().split())
    said = [(urgency, text) for urgency, text in told() if words[:20] in text]
    assert said == [("polite", f"Answer complete: {words}")]


def test_while_it_comes_little_is_said(page: Page, told: Any) -> None:
    opened(page, lambda: page.goto("/"))
    chat = Chat(page)
    chat.ask(QUESTION)
    chat.ended(1)
    expect(page.locator("#announcer")).to_contain_text("Answer complete")
    assert len(told()) <= 3, told()
    assert {urgency for urgency, _ in told()} == {"polite"}


@pytest.fixture
def calm(chromium: Browser, product: Product, signed_in: Any) -> Iterator[BrowserContext]:
    """The owner's browser, which wants no movement."""
    context = chromium.new_context(
        base_url=product.url, storage_state=signed_in, reduced_motion="reduce"
    )
    yield context
    context.close()


def test_nothing_moves_while_an_answer_comes(calm: BrowserContext) -> None:
    page = calm.new_page()
    opened(page, lambda: page.goto("/"))
    chat = Chat(page)
    chat.ask(QUESTION)
    chat.speaking()
    assert page.evaluate(MOVING) == []
    chat.ended(1)
    page.locator("[data-palette-open]").first.click()
    assert page.evaluate(MOVING) == []


def test_nothing_moves_on_other_pages(calm: BrowserContext) -> None:
    page = calm.new_page()
    for path in ("/settings/", "/traces/", "/traces/dashboard/", "/servers/"):
        page.goto(path)
        assert page.evaluate(MOVING) == [], path
