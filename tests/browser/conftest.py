"""The product on a fresh home and Chromium: everything is real, the model is a recording."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    WebError,
    expect,
)

from benchmarks.product import Product, running_product
from benchmarks.stub import StubProcess, stub_process
from tests import patience
from tests.browser.baseline import Baseline
from tests.browser.chat import Chat
from tests.chromium import Profile, SharedChromium
from tests.environment import clean_environment

# Seconds between two pieces of the walkthrough's answers. Who acts in the middle of one has a stub.
PACE = "0.004"
# Playwright says so where `service_workers` is "block".
BLOCKED_WORKER = "Service Worker registration blocked by Playwright"
DESK: ViewportSize = {"width": 1440, "height": 900}

expect.set_options(timeout=patience.MS)

Tab = Callable[..., Page]


@dataclass(frozen=True)
class Running:
    """A product, its owner's cookies, and the database as it was when the owner had signed in."""

    product: Product
    cookies: Any
    baseline: Baseline


@pytest.fixture(scope="session")
def running(migrated: Path | None, shared_chromium: SharedChromium) -> Iterator[Running]:
    """One product for all files that a process of the test run is given."""
    environment = {**clean_environment(), "CASSETTE_PACE": PACE, "SHARED_LINKS": "everybody"}
    with running_product(environment, migrated) as product:
        with shared_chromium.lent() as browser:
            cookies = sign_in(product, browser)
        yield Running(product, cookies, Baseline(product.home / "roundtrip.sqlite3"))


def sign_in(product: Product, browser: Browser) -> Any:
    """Opens the link that the product printed."""
    page = browser.new_page()
    page.goto(product.sign_in_link)
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    return page.context.storage_state()


@pytest.fixture(scope="module")
def product(running: Running) -> Product:
    """The product with no rows but those of a new one. Each file of tests adds what it needs."""
    running.baseline.restore()
    return running.product


@pytest.fixture(scope="module")
def signed_in(running: Running) -> Any:
    """The owner's cookies."""
    return running.cookies


@pytest.fixture(scope="module")
def chromium(running: Running, shared_chromium: SharedChromium) -> Iterator[Browser]:
    with shared_chromium.lent() as browser:
        yield browser


@pytest.fixture(scope="module")
def stub(request: pytest.FixtureRequest, product: Product) -> Iterator[StubProcess]:
    """A provider that has the `MODELS` of the file."""
    with stub_process() as stub:
        models = request.module.MODELS
        product.run("tests.browser.seeding", {"base_url": stub.base_url, "models": models})
        yield stub


@pytest.fixture(scope="module")
def slow_model(product: Product) -> Iterator[str]:
    """The label of a model whose answer lasts until it is stopped, for all that a test does."""
    model = {"label": "Slow", "name": "stub-r2-n600"}
    with stub_process() as stub:
        product.run("tests.browser.seeding", {"base_url": stub.base_url, "models": [model]})
        yield "Slow"


@pytest.fixture
def problems() -> Iterator[list[str]]:
    """What the console said of errors, violations of the content policy among them."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture(scope="module")
def profile(chromium: Browser, product: Product) -> Profile:
    # Tests do not see the requests of a service worker.
    return Profile(chromium, product.url, viewport=DESK, service_workers="block")


@pytest.fixture
def context(profile: Profile, signed_in: Any, problems: list[str]) -> Iterator[BrowserContext]:
    """The owner's browser."""

    def note_error(error: WebError) -> None:
        problems.append(str(error.error))

    def note_said(said: ConsoleMessage) -> None:
        if _is_problem(said):
            problems.append(said.text)

    with profile.lent(signed_in["cookies"]) as context:
        context.on("weberror", note_error)
        context.on("console", note_said)
        yield context
        context.remove_listener("weberror", note_error)
        context.remove_listener("console", note_said)


def _is_problem(said: ConsoleMessage) -> bool:
    return said.type in ("error", "warning") and said.text != BLOCKED_WORKER


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def chat(page: Page) -> Chat:
    """A tab with an empty conversation."""
    page.goto("/")
    return Chat(page)
