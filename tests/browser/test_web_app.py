"""The app that browsers install, and the page that it shows without a connection."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchmarks.product import Product
from tests.chromium import executable

pytestmark = pytest.mark.browser

READERS = (
    ("en-GB", {"width": 1440, "height": 900}, "en"),
    ("zh-CN", {"width": 390, "height": 844}, "zh-Hans"),
)
KEPT = """async () => {
  const names = await caches.keys();
  const found = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return found.flat().map((request) => new URL(request.url).pathname);
}"""


@pytest.fixture(params=READERS, ids=("english-desk", "chinese-phone"))
def reader(
    request: pytest.FixtureRequest, chromium: Browser, product: Product, signed_in: Any
) -> Iterator[tuple[BrowserContext, str]]:
    locale, size, language = request.param
    context = chromium.new_context(
        base_url=product.url, storage_state=signed_in, locale=locale, viewport=size
    )
    yield context, language
    context.close()


def working(page: Page) -> None:
    """Waits for the service worker of the page that is open, and opens it again under it."""
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.reload()
    expect(page.locator("body")).to_be_visible()


def test_a_page_that_cannot_be_loaded_is_the_offline_page_until_there_is_a_connection(
    reader: tuple[BrowserContext, str],
) -> None:
    context, language = reader
    page = context.new_page()
    page.goto("/")
    working(page)
    context.set_offline(True)
    page.goto("/assistants/")
    expect(page.locator("html[data-offline]")).to_have_attribute("lang", language)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.url.endswith("/assistants/")
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    context.set_offline(False)
    expect(page.locator(".site-header, .sidebar").first).to_be_attached()
    expect(page.locator("html[data-offline]")).to_have_count(0)


def test_nothing_but_the_offline_page_is_kept(reader: tuple[BrowserContext, str]) -> None:
    context, _ = reader
    page = context.new_page()
    page.goto("/")
    working(page)
    for address in ("/assistants/", "/search", "/conversations", "/settings/"):
        page.goto(address)
    kept = page.evaluate(KEPT)
    assert kept[0] == "/offline/"
    assert sorted(Path(address).name for address in kept[1:]) == ["offline.css", "offline.js"]


def test_chromium_would_install_it(
    chromium: Browser, product: Product, signed_in: Any, tmp_path: Path
) -> None:
    # A profile on disk: what Playwright opens else counts as private, where nothing is installed.
    context = chromium.browser_type.launch_persistent_context(
        tmp_path, executable_path=executable(), args=["--no-sandbox"]
    )
    context.add_cookies(signed_in["cookies"])
    page = context.pages[0]
    page.goto(product.url)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    devtools = context.new_cdp_session(page)
    manifest = devtools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    errors = devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert errors == []
    context.close()
