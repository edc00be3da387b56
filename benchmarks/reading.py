"""`python -m benchmarks.reading`: reads a payload of 20 MB in a browser, with a product of its own.

Prints milliseconds of opening the page, of the longest frame and task while scrolling through, and
of finding a line near the end; and the largest numbers of elements and characters in the page.
"""

import json
import sys
from typing import Any

from playwright.sync_api import Page, expect

from benchmarks.product import running_product
from tests import chromium
from tests.environment import clean_environment

# Scrolls by `pixels` a frame, in `steps` frames (null: through the whole payload); returns the
# figures of these frames, times in milliseconds.
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
    with running_product(clean_environment()) as product, chromium.running() as browser:
        address = product.run("tests.browser.trace_seeding", {"names": ["large"]})["large"]
        page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=product.url)
        page.goto(product.sign_in_link)
        json.dump(measure(page, address), sys.stdout, indent=2)


def measure(page: Page, address: str) -> dict[str, Any]:
    page.goto(address)
    link = page.locator('[data-stage="result"] a[href$="/read"]').first
    page.goto(str(link.get_attribute("href")))
    expect(page.locator(".reader-filled").first).to_be_visible()
    open_ms = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    return {
        "open": open_ms,
        "slowly": page.evaluate(SCROLL, {"steps": 600, "pixels": 40}),
        "all_of_it": page.evaluate(SCROLL, {"steps": 600, "pixels": None}),
        "find": _find(page),
    }


def _find(page: Page) -> float:
    field = page.get_by_role("searchbox")
    start = page.evaluate("performance.now()")
    field.fill("绣花针 NEEDLE")
    field.press("Enter")
    expect(page.locator("mark[data-lit]")).to_be_visible(timeout=20_000)
    milliseconds: float = page.evaluate("performance.now()") - start
    return milliseconds


if __name__ == "__main__":
    main()
