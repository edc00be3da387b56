"""`python -m benchmarks.chat_page [--repeats 15] [--sizes 100 1000 10000]`: opens conversations of
these numbers of messages, and lists of as many conversations, with a product of its own."""

import argparse
import gzip
import os
import platform
import statistics
import sys
from typing import Any

from playwright.sync_api import Browser

from benchmarks.chat_page.report import PageFigures, write
from benchmarks.page_request import fetch
from benchmarks.processes import command, cpu_ms, role_of, rss
from benchmarks.product import Product, running_product
from tests import chromium
from tests.environment import clean_environment

WARM_UP_REQUESTS = 3
PAINTS = 5
# Milliseconds from the start of the navigation.
PAINT = """() => [
  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
]"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with running_product(clean_environment()) as product, chromium.running() as browser:
        pages = product.run("benchmarks.chat_page.seeding", {"sizes": options.sizes})["pages"]
        web = [pid for pid in product.pids if role_of(command(pid)) == "web"]
        before = rss(web)
        figures = [measure(product, browser, web, page, options.repeats) for page in pages]
        after = rss(web)
    head = {
        "cores": os.cpu_count(),
        "load": round(load, 1),
        "python": platform.python_version(),
        "web_mb_before": round(before, 1),
        "web_mb_after": round(after, 1),
    }
    sys.stdout.write(write(head, figures).read_text())


def measure(
    product: Product, browser: Browser, web: list[int], page: dict[str, Any], repeats: int
) -> PageFigures:
    address = page["address"].partition("#")[0]
    for _ in range(WARM_UP_REQUESTS):
        body, _ = fetch(product.url, address, page["cookie"])
    worked = sum(cpu_ms(web).values())
    times = [fetch(product.url, address, page["cookie"])[1] for _ in range(repeats)]
    worked = sum(cpu_ms(web).values()) - worked
    is_page = address.startswith("/c/")
    paints = [paint(browser, product.url, page) for _ in range(PAINTS)] if is_page else []
    return PageFigures(
        name=page["name"],
        queries=page["queries"],
        open_ms=round(statistics.median(times), 1),
        cpu_ms=round(worked / repeats, 1),
        bytes=len(gzip.decompress(body)),
        gzip_bytes=len(body),
        paints_ms=[round(statistics.median(times), 1) for times in zip(*paints, strict=True)],
    )


def paint(browser: Browser, url: str, page: dict[str, Any]) -> list[float]:
    """Milliseconds until the first contentful paint and until the scripts have run: with an empty
    cache, and of the next visit."""
    with browser.new_context(viewport={"width": 1440, "height": 900}, base_url=url) as context:
        context.add_cookies([chromium.cookie_at(url, page["cookie"])])
        tab = context.new_page()
        visits: list[float] = []
        for _ in range(2):
            tab.goto(page["address"].partition("#")[0], wait_until="load")
            tab.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
            visits += tab.evaluate(PAINT)
    return visits


if __name__ == "__main__":
    main()
