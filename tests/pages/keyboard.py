"""A page by keyboard alone: what Tab reaches, in which order, and whether one sees where one is."""

from typing import Any

from playwright.sync_api import Page

MOST_STOPS = 150
# Numbers the elements as Tab reaches them; null: the focus left the page.
# The focus goes to the link over what all pages begin with; false where there is none.
TO_SKIP_LINK = """() => {
  const link = document.querySelector(".skip-link");
  link?.focus();
  return link !== null;
}"""
STOP = r"""() => {
  const one = document.activeElement;
  if (!one || one === document.body || one === document.documentElement) return null;
  window.stops ??= new Map();
  if (!window.stops.has(one)) window.stops.set(one, window.stops.size);
  const box = one.getBoundingClientRect();
  const clips = (part) => {
    const { overflowX, overflowY } = getComputedStyle(part);
    return overflowX !== "visible" || overflowY !== "visible";
  };
  const ring = (part) => {
    const style = getComputedStyle(part);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  // A field may leave its ring to what surrounds it, and a hidden check box to its label.
  const above = one.parentElement;
  const around = [one, above, above?.parentElement, one.nextElementSibling];
  // The field of the composer leaves it to the composer, whose ring is a shadow.
  const composer = one.localName === "textarea" && one.closest(".composer");
  const isRung = composer && getComputedStyle(composer).boxShadow !== "none";
  const isBeside = box.right <= 0 || box.left >= innerWidth;
  const isWithin = !isBeside && box.bottom > 0 && box.top < innerHeight;
  const words = one.getAttribute("aria-label") || one.id || one.textContent.trim().slice(0, 40);
  return {
    number: window.stops.get(one),
    name: `${one.localName}.${one.className} ${words}`,
    // The button of a date, a stop within it, has the browser's own ring.
    ring: isRung || one.type?.startsWith("date") || around.some((part) => part && ring(part)),
    seen: box.width > 0 && isWithin,
  };
}"""


def walk_main(page: Page) -> list[str]:
    """From where "Skip to content" leads, where a page has it."""
    if page.evaluate(TO_SKIP_LINK):
        page.keyboard.press("Enter")
        if page.evaluate("document.activeElement.id") != "main":
            return ["the skip link does not lead to the content"]
    return walk(page)


def walk(page: Page) -> list[str]:
    """Presses Tab until the focus is back at the beginning; a line for each fault."""
    page.evaluate("delete window.stops")
    found: list[str] = []
    last = -1
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop: Any = page.evaluate(STOP)
        if stop is None:
            return found
        # A date has several stops within itself.
        if stop["number"] < last:
            is_whole_circle = stop["number"] == 0
            return found if is_whole_circle else [*found, f"a trap at {stop['name']}"]
        last = stop["number"]
        if not stop["ring"]:
            found.append(f"no visible focus: {stop['name']}")
        if not stop["seen"]:
            found.append(f"out of sight: {stop['name']}")
    return found
