"""What axe finds wrong with a page, on a desk in the light theme or on a phone in the dark one: a
test sees one of them, always the same, and `make campaigns` both."""

import os
from typing import Literal
from zlib import crc32

from playwright.sync_api import Page, ViewportSize

from tests import axe

Looks = tuple[tuple[Literal["light", "dark"], ViewportSize], ...]
LOOKS: Looks = (
    ("light", {"width": 1440, "height": 900}),
    ("dark", {"width": 390, "height": 844}),
)
# Colours change within 120 ms when the theme does: they are made to be there at once. What turns
# without end goes on.
SETTLED = """() => document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .forEach((one) => one.finish())"""

TWO_FRAMES = """() => new Promise(
  (done) => requestAnimationFrame(() => requestAnimationFrame(done)),
)"""


def problems(page: Page) -> list[str]:
    """A line for each element that breaks a rule, or for a page wider than the screen."""
    page.wait_for_load_state()  # after a click on a link the page may just have begun
    before = page.viewport_size
    found = []
    seen = _seen()
    for theme, size in LOOKS:
        page.emulate_media(color_scheme=theme)
        _resize(page, size)
        page.evaluate(SETTLED)
        lines = (*(_violations(page) if (theme, size) in seen else ()), *_overflow(page))
        found += [f"{page.url} {theme} {size['width']}: {line}" for line in lines]
    page.emulate_media(color_scheme="null")
    if before:
        _resize(page, before)
    return found


def _seen() -> Looks:
    """Those in which axe runs, by the name of the test."""
    if os.environ.get("HYPOTHESIS_PROFILE") == "campaign":
        return LOOKS
    number = crc32(os.environ.get("PYTEST_CURRENT_TEST", "").encode()) % len(LOOKS)
    return (LOOKS[number],)


def _resize(page: Page, size: ViewportSize) -> None:
    """Until the page knows of it: media queries tell their listeners before a frame is drawn."""
    page.set_viewport_size(size)
    page.evaluate(TWO_FRAMES)


def _violations(page: Page) -> list[str]:
    rules = axe.run(page)["broken"]
    return [f"{rule['id']} {node['html'][:200]}" for rule in rules for node in rule["nodes"]]


def _overflow(page: Page) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{wide} px too wide"] if wide > 0 else []
