"""The chat page in Chromium, at two widths and with a processor as it is and four times slower:
opening a long conversation, a list of many, and a quick stream while one types and scrolls."""

from playwright.sync_api import Browser

from benchmarks.browser.tab import Shape, open_tab
from benchmarks.parts.scale import Scale
from benchmarks.site import Site
from tests import chromium

RATE = 200
MODEL = f"stub-r{RATE}-echo"


def measure(site: Site, scale: Scale) -> dict[str, float]:
    wanted = {"sizes": [scale.messages], "lists": [scale.listed]}
    pages = site.product.run("benchmarks.chat_page.seeding", wanted)["pages"]
    long, of_many = pages[0], pages[-1]
    figures: dict[str, float] = {}
    with chromium.running() as browser:
        cookie = site.cookies.read_text().splitlines()[0]
        for shape in (Shape(*one) for one in scale.browser_shapes):
            figures |= _opened(browser, site, shape, "open", long)
            figures |= _opened(browser, site, shape, "list", {**of_many, "address": "/"})
            figures |= _streamed(browser, site, shape, cookie, scale.browser_seconds)
    return figures


def _opened(
    browser: Browser, site: Site, shape: Shape, name: str, page: dict[str, str]
) -> dict[str, float]:
    """With an empty cache, and once more."""
    figures: dict[str, float] = {}
    with open_tab(browser, site.product.url, page["cookie"], shape) as tab:
        for visit in ("first", "again"):
            measured = tab.open(page["address"].partition("#")[0])
            figures |= {f"browser.{shape}.{name}.{visit}.{n}": v for n, v in measured.items()}
    return figures


def _streamed(
    browser: Browser, site: Site, shape: Shape, cookie: str, seconds: float
) -> dict[str, float]:
    model = site.model(MODEL)
    with open_tab(browser, site.product.url, cookie, shape) as tab:
        tab.open("/")
        measured = tab.stream(model, RATE, seconds)
    return {f"browser.{shape}.stream.{name}": value for name, value in measured.items()}
