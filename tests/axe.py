"""axe on a page. Only faults cross over to Python: all that axe answers is large, and so is what
its script answers when it is evaluated."""

from functools import cache
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

IS_THERE = "() => 'axe' in window"
RUN = """async ([rules, within]) => {
  const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const options = { resultTypes: ["violations"], ...only };
  const { violations, passes } = await axe.run(within ?? document, options);
  return { passed: passes.length, broken: violations.map(({ id, impact, nodes }) => (
    { id, impact, nodes: nodes.map(({ html, target }) => ({ html, target: target.join(" ") })) }
  )) };
}"""


def run(page: Page, rules: list[str] | None = None, within: str | None = None) -> Any:
    """`passed`: how many rules are kept; `broken`: those that are not, each with its `id`, `impact`
    and `nodes`. All rules unless some are named; `within` is a selector."""
    if not page.evaluate(IS_THERE):
        page.evaluate(_script())
    return page.evaluate(RUN, [rules, within])


@cache
def _script() -> str:
    return f"() => {{ {AXE_SCRIPT}; return null; }}"
