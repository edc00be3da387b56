"""The words of a Chinese page that are not Chinese: what is read, and what a screen reader says."""

import re

from playwright.sync_api import Page

# What people, models and servers wrote stands in elements with `dir="auto"` or in `bdi`, code in
# elements of its own. `translate="no"` is for names that are no text, such as those of time zones.
# What is English for everybody says so with `lang`. Lists and read-only columns of the admin are
# data without a mark.
ELEMENTS = (
    "code, pre, kbd, samp, textarea, script, style, bdi, [dir=auto], [translate=no], body [lang=en]"
)
DATA = f"{ELEMENTS}, #result_list td, #result_list tbody th, .readonly, .selector option"
TEXTS = """(data) => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true });
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.closest(data) && shown(parent)) texts.push(node.data);
  }
  for (const one of document.body.querySelectorAll("[title], [aria-label], [placeholder], [alt]")) {
    if (one.closest("script, style") || !shown(one)) continue;
    const isData = one.closest("[translate=no]");
    for (const name of ["title", "aria-label", "placeholder", "alt"]) {
      if (one.hasAttribute(name) && !isData) texts.push(one.getAttribute(name));
    }
  }
  return texts;
}"""
WORD = r"[A-Za-z][A-Za-z’']*"
SENTENCE = re.compile(rf"\b{WORD}(?:[ ,;:–-]+{WORD}){{2,}}")
# What is English on purpose, and why.
EXCEPTIONS = {
    "Anthropic Messages API": "the name of an interface",
    "sign in link": "a permission for a model that the admin has no page of",
    "by selecting them and then select the": "Django's own catalogue of the admin lacks it",
    "Change or view list link": "Django's own catalogue of the admin lacks it",
    "Draft of the deployment": "a name in `tests.access.rows`",
    "How many quokkas": "a question in `tests.access.rows`",
    "Preset of walkthrough": "a name in `tests.chat.builders`",
    "Preset of withheld": "a name in `tests.chat.builders`",
    "Choose all MCP": "Django's own catalogue of the admin lacks it",
    "Choose selected MCP": "Django's own catalogue of the admin lacks it",
    "Remove all MCP": "Django's own catalogue of the admin lacks it",
    "Remove selected MCP": "Django's own catalogue of the admin lacks it",
}


def english(page: Page) -> list[str]:
    """Runs of three words and more, once each."""
    texts: list[str] = page.evaluate(TEXTS, DATA)
    found = (match[0] for text in texts for match in SENTENCE.finditer(_without(text)))
    return sorted(set(found))


def _without(text: str) -> str:
    for exception in EXCEPTIONS:
        text = text.replace(exception, "…")
    return text
