"""What is wrong with a page as it stands: what axe finds, what does not fit, what is not Chinese.

Both themes, on a desk and on a phone. In two of the four looks only colours are new, and these are
another page's where most of a page is.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Page, ViewportSize

from tests import axe
from tests.browser.accessibility import SETTLED
from tests.pages.directions import mixed
from tests.pages.english import english

Theme = Literal["light", "dark"]
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
# A desk at 200 %, and the narrowest phone, which is also a desk at 400 % (WCAG 1.4.10).
ZOOMED: ViewportSize = {"width": 720, "height": 450}
NARROW: ViewportSize = {"width": 320, "height": 640}
SIZES = (DESK, ZOOMED, PHONE, NARROW)
COLOURS = ["color-contrast", "link-in-text-block"]
Looks = tuple[tuple[Theme, ViewportSize, list[str] | None], ...]
LOOKS: Looks = (
    ("light", DESK, None),
    ("dark", DESK, COLOURS),
    ("light", PHONE, COLOURS),
    ("dark", PHONE, None),
)
# Both themes, and both sizes.
LOOKS_OF_PARTS = tuple(look for look in LOOKS if look[2] is None)


def one_look(number: int) -> Looks:
    """One of the four in turn, with all rules."""
    theme, size, _ = LOOKS[number % len(LOOKS)]
    return ((theme, size, None),)


# Rules, and a part of the elements, that are not ours to mend, and why.
EXCEPTIONS = {
    ("label-title-only", 'id="searchbar"'): "Django's search of the admin: its label is a picture",
    ("aria-prohibited-attr", "help-tooltip"): "Django's two lists of the admin",
}
# How much wider than the screen the page is, and the first elements that stick out.
WIDE = """() => {
  const root = document.documentElement;
  if (root.scrollWidth <= innerWidth) return null;
  const clips = (one) => getComputedStyle(one).overflowX !== "visible";
  const isClipped = (one) => one !== document.body
    && (clips(one.parentElement) || isClipped(one.parentElement));
  const out = [...document.body.querySelectorAll("*")].filter(
    (one) => one.getBoundingClientRect().right > innerWidth + 0.5 && !isClipped(one));
  return `${root.scrollWidth - innerWidth} px: ` + out.slice(0, 3).map(
    (one) => `${one.localName}.${one.className}`).join(", ");
}"""


@dataclass
class Findings:
    """Lines for people; `passed` counts the rules of axe that a page keeps, by look."""

    axe: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    english: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=dict)

    @property
    def faults(self) -> list[str]:
        return [*self.axe, *self.wide, *self.english, *self.mixed]


def settled(page: Page) -> None:
    """Waits until the page's scripts ran and what it loads by itself is there."""
    page.wait_for_load_state("load")
    page.wait_for_function("document.readyState === 'complete'")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")


def survey(page: Page, language: str, looks: Looks = LOOKS, within: str | None = None) -> Findings:
    """Runs axe in these looks, on what is `within` a selector, and measures the page in all sizes;
    leaves it on a desk."""
    found = Findings()
    if language != "en":
        found.english = english(page)
    found.mixed = mixed(page)
    for theme, size, rules in looks:
        _look(page, theme, size)
        result = axe.run(page, rules, within)
        look = f"{theme} {size['width']}"
        found.passed[look] = result["passed"]
        found.axe += [f"{look}: {line}" for line in _lines(result["broken"])]
    for size in SIZES:
        page.set_viewport_size(size)
        if wide := page.evaluate(WIDE):
            found.wide.append(f"{size['width']}: {wide}")
    page.emulate_media(color_scheme="null")
    page.set_viewport_size(DESK)
    return found


def _look(page: Page, theme: Theme, size: ViewportSize) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size(size)
    page.evaluate(SETTLED)


def _lines(broken: list[dict[str, Any]]) -> list[str]:
    return [
        f"{rule['id']} ({rule['impact']}) {node['target']}: {node['html'][:160]}"
        for rule in broken
        for node in rule["nodes"]
        if not any(rule["id"] == name and part in node["html"] for name, part in EXCEPTIONS)
    ]
