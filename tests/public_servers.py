"""Registers public MCP servers in the browser and calls a tool of each; prints what came back.

    python -m tests.public_servers LIST.json

The list is what was installed on this machine, which this starts but does not install:
`servers` is pasted as `mcpServers`, `urls` are registered by the form (name: transport, url), and
`calls` are the calls, each a name of a server, a tool and its arguments. Prints a JSON list.
"""

import json
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize, expect

from benchmarks.product import running_product
from tests import chromium
from tests.environment import clean_environment

CHECKED_MS = 60_000
OVER = '.trial[data-over="yes"]'
DESK: ViewportSize = {"width": 1440, "height": 900}


def main(listed: dict[str, Any]) -> list[dict[str, str]]:
    with running_product(clean_environment()) as product, chromium.running() as browser:
        page = browser.new_page(viewport=DESK, base_url=product.url)
        page.goto(product.sign_in_link)
        _paste(page, listed["servers"])
        for name, (transport, url) in listed["urls"].items():
            _register(page, name, transport, url)
        found = [_called(page, *call) for call in listed["calls"]]
    return found


def _paste(page: Page, servers: dict[str, Any]) -> None:
    page.goto("/servers/import")
    page.get_by_label("mcpServers JSON").fill(json.dumps({"mcpServers": servers}))
    page.get_by_role("button", name="Look at it").click()
    page.get_by_role("button", name="Register and test").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("MCP servers")


def _register(page: Page, name: str, transport: str, url: str) -> None:
    page.goto("/servers/new")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Connection", exact=True).select_option(transport)
    page.get_by_label("URL", exact=True).fill(url)
    page.get_by_label("It may be in a private network").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def _called(page: Page, name: str, tool: str, arguments: dict[str, Any]) -> dict[str, str]:
    """What the server's page says of it, then what the tool's page says of a call."""
    page.goto("/servers/")
    page.get_by_role("link", name=name, exact=True).click()
    said = page.locator("#status .banner").first
    expect(said).to_contain_text("onnect", timeout=CHECKED_MS)
    expect(said).not_to_contain_text("Waiting", timeout=CHECKED_MS)
    expect(page.locator(".status")).to_have_attribute("data-checking", "no", timeout=CHECKED_MS)
    found = {"name": name, "tool": tool, "connected": said.inner_text()}
    for fact in ("Server", "Protocol"):
        shown = page.locator(".facts > div", has=page.get_by_text(fact, exact=True)).locator("dd")
        found[fact.lower()] = shown.inner_text() if shown.count() else ""
    link = page.locator("#tool-rows").get_by_role("link", name=tool, exact=True)
    if not link.count():
        return {**found, "state": "not listed"}
    link.click()
    return {**found, **_tried(page, tool, arguments)}


def _tried(page: Page, tool: str, arguments: dict[str, Any]) -> dict[str, str]:
    page.get_by_role("button", name="JSON", exact=True).click()
    page.get_by_label("Arguments as JSON").fill(json.dumps(arguments))
    page.get_by_role("button", name=f"Call {tool}").click()
    trial = page.locator(OVER)
    expect(trial).to_be_visible(timeout=CHECKED_MS)
    failed = trial.locator('.banner[data-kind="failed"]')
    page.get_by_text("What happened").last.click()
    return {
        "state": trial.get_attribute("data-state") or "",
        "sentence": failed.inner_text() if failed.count() else "",
        "result": trial.locator(".result-blocks").inner_text()
        if trial.locator(".result-blocks").count()
        else "",
        "images": str(trial.locator(".result-blocks img").count()),
        "log": trial.locator(".trial-log").inner_text(),
    }


if __name__ == "__main__":
    json.dump(main(json.loads(Path(sys.argv[1]).read_text())), sys.stdout, indent=1)
