"""Texts of people that can turn what stands beside them round: those with right-to-left letters or
with characters that hide. Each has to be isolated: alone in its block, or in an element of a
direction of its own (`bdi`, `dir="auto"`). Names of rows in the check boxes of Django's admin are
its own affair."""

from playwright.sync_api import Page

# The first text of an inline run is alone if no other one of the block has words.
MIXED = r"""() => {
  const foreign = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069]/;
  const hides = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
  const isolates = new Set(["isolate", "plaintext", "isolate-override"]);
  const isBlock = (one) => !getComputedStyle(one).display.startsWith("inline")
    || getComputedStyle(one).display === "inline-block";
  const isIsolated = (one) => isolates.has(getComputedStyle(one).unicodeBidi);
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    let inner = node.parentElement;
    if (!foreign.test(text) || inner.closest("script, style, textarea, option")) continue;
    while (!isBlock(inner) && !isIsolated(inner)) inner = inner.parentElement;
    if (inner.textContent.trim() !== text && !isIsolated(inner)) {
      found.add(`not isolated in ${inner.localName}.${inner.className}: ${text.slice(0, 60)}`);
    }
  }
  for (const name of ["title", "aria-label", "placeholder", "alt"]) {
    for (const one of document.querySelectorAll(`[${name}]:not(.action-select)`)) {
      if (!hides.test(one.getAttribute(name))) continue;
      found.add(`hidden characters in ${name} of ${one.localName}.${one.className}`);
    }
  }
  if (hides.test(document.title)) found.add("hidden characters in the title");
  return [...found];
}"""


def mixed(page: Page) -> list[str]:
    found: list[str] = page.evaluate(MIXED)
    return found
