"""How a payload of 20 MB scrolls: `python -m benchmarks.reading`, with a product of its own.

Says how long each of these takes in milliseconds: opening, the longest frame and the longest task
while all of it is scrolled through, finding one line near the end; and how many elements and
characters the page holds at most.
"""

import json
import os
import sys
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.product import running_product
from tests.chromium import launch

NOT_OURS = ("REDIS_URL", "DATABASE_URL", "OPENAI_API_KEY", "DJANGO_SETTINGS_MODULE")
# Scrolls so many pixels a frame to the end, in so many steps; the frames' lengths come back.
SCROLL = """async ({ steps, pixels }) => {
  const scroller = document.querySelector("[data-scroller]");
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration)))
    .observe({ type: "longtask" });
  const frames = [];
  let most = 0, text = 0, before = performance.now();
  for (let step = 0; step < steps; step++) {
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - before);
    before = now;
    scroller.scrollTop += pixels ?? (scroller.scrollHeight / steps);
    if (step % 10 === 0) {
      most = Math.max(most, document.querySelectorAll("*").length);
      text = Math.max(text, scroller.textContent.length);
    }
  }
  frames.sort((a, b) => a - b);
  return {
    frames: frames.length,
    longest_frame: frames.at(-1),
    frame_p99: frames[Math.floor(frames.length * 0.99)],
    frame_p50: frames[Math.floor(frames.length * 0.5)],
    long_tasks: tasks.filter((ms) => ms > 50).length,
    longest_task: Math.max(0, ...tasks),
    elements: most,
    characters: text,
  };
}"""


def main() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    with running_product(environment) as product, sync_playwright() as playwright:
        address = product.run("tests.browser.trace_seeding", {"names": ["large"]})["large"]
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=product.url)
        page.goto(product.sign_in_link)
        json.dump(measure(page, address), sys.stdout, indent=2)
        browser.close()


def measure(page: Page, address: str) -> dict[str, Any]:
    page.goto(address)
    link = page.locator('[data-stage="result"] a[href$="/read"]').first
    page.goto(str(link.get_attribute("href")))
    expect(page.locator(".reader-filled").first).to_be_visible()
    opened = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    return {
        "open": opened,
        "slowly": page.evaluate(SCROLL, {"steps": 600, "pixels": 40}),
        "all_of_it": page.evaluate(SCROLL, {"steps": 600, "pixels": None}),
        "find": _find(page),
    }


def _find(page: Page) -> float:
    field = page.get_by_role("searchbox")
    begun = page.evaluate("performance.now()")
    field.fill("绣花针 NEEDLE")
    field.press("Enter")
    expect(page.locator("mark[data-lit]")).to_be_visible(timeout=20_000)
    took: float = page.evaluate("performance.now()") - begun
    return took


if __name__ == "__main__":
    main()
