"""A tab of Chromium that is measured."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize, expect

from benchmarks.browser.texts import message
from tests.chromium import cookie_at

PROBE = Path(__file__).with_name("probe.js")
HEIGHT = 900
ACCEPT_MS = 20_000
# Characters of a token of the model `echo`.
TOKEN = 32
# Between two inputs of whoever types and scrolls while an answer streams.
INPUT_PAUSE_S = 0.1
LATE_MS = 50
OPENED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const fetched = performance.getEntriesByType("resource");
  const scripts = fetched.filter(({ name }) => name.endsWith(".js"));
  return {
    paint_ms: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    ready_ms: page.domContentLoadedEventEnd,
    page_kb: page.encodedBodySize / 1000,
    script_kb: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
    scripts: scripts.length,
    nodes: document.querySelectorAll("*").length,
  };
}"""


@dataclass(frozen=True)
class Shape:
    """A window's width in CSS pixels, and by what the processor is slowed down."""

    width: int
    slowdown: int

    def __str__(self) -> str:
        return f"{self.width}x{self.slowdown}"


@contextmanager
def open_tab(browser: Browser, url: str, cookie: str, shape: Shape) -> Iterator["Tab"]:
    viewport: ViewportSize = {"width": shape.width, "height": HEIGHT}
    with browser.new_context(viewport=viewport, base_url=url) as context:
        context.add_cookies([cookie_at(url, cookie)])
        page = context.new_page()
        page.add_init_script(path=PROBE)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": shape.slowdown})
        yield Tab(page, session)


class Tab:
    def __init__(self, page: Page, session: CDPSession) -> None:
        self.page = page
        self._session = session

    def open(self, path: str) -> dict[str, float]:
        """Times of the first paint and of its scripts, weights, and the layout shift."""
        self.page.goto(path, wait_until="networkidle")
        self.page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        figures: dict[str, float] = self.page.evaluate(OPENED)
        return {**figures, "shift": self.page.evaluate("benchmark.end().shift")}

    def stream(self, model: str, rate: int, seconds: float) -> dict[str, float]:
        """Sends a message that the model streams back, and types and scrolls meanwhile."""
        text = message(int(rate * seconds * TOKEN))
        self.page.locator("#model").select_option(model)
        self.page.get_by_role("textbox", name="Message").fill(text)
        self.page.keyboard.press("Enter")
        self.page.locator("[data-live-content] > *").first.wait_for(timeout=ACCEPT_MS)
        self.page.evaluate("benchmark.begin()")
        self._use_while_it_streams(seconds)
        period = self.page.evaluate("benchmark.end()")
        expect(self.page.locator("#stop")).to_be_hidden(timeout=ACCEPT_MS + 1000 * seconds)
        return {
            **_figures(period),
            "nodes": self.page.evaluate("document.querySelectorAll('*').length"),
        }

    def _use_while_it_streams(self, seconds: float) -> None:
        until = time.monotonic() + seconds * 0.9
        self.page.mouse.move(200, HEIGHT / 2)
        number = 0
        while time.monotonic() < until:
            number += 1
            self.page.keyboard.type("x")
            # Up a little, and back to the end.
            self.page.mouse.wheel(0, -120 if number % 4 else 4_000)
            time.sleep(INPUT_PAUSE_S)


def _figures(period: dict[str, Any]) -> dict[str, float]:
    frames = sorted(period["frames"]) or [0.0]
    return {
        "frame_p50_ms": frames[len(frames) // 2],
        "frame_p99_ms": frames[int(len(frames) * 0.99)],
        "frame_max_ms": frames[-1],
        "late_frames": sum(frame > LATE_MS for frame in frames),
        "frames": len(frames),
        "long_tasks": len(period["tasks"]),
        "task_max_ms": max(period["tasks"], default=0.0),
        "input_max_ms": max(period["inputs"], default=0.0),
        "shift": period["shift"],
    }
