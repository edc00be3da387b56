"""The product on a fresh home and Chromium: everything is real, the model is a recording."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from benchmarks.product import Product, running_product
from tests.browser.chat import Chat
from tests.chromium import launch

# Seconds between two pieces of an answer: slow enough to act in the middle of one.
PACE = "0.025"
NOT_OURS = (
    "DATABASE_URL",
    "DEBUG",
    "DJANGO_SETTINGS_MODULE",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "REDIS_URL",
)
DESK = {"width": 1440, "height": 900}

expect.set_options(timeout=5_000)

Tab = Callable[..., Page]


@pytest.fixture(scope="module")
def product(migrated: Path | None) -> Iterator[Product]:
    kept = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    with running_product({**kept, "CASSETTE_PACE": PACE}, migrated) as product:
        yield product


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def signed_in(product: Product, chromium: Browser) -> Any:
    """The owner's cookies, after the link that the product printed was opened."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(product.sign_in_link)
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def problems() -> Iterator[list[str]]:
    """What the console said of errors, violations of the content policy among them."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture
def context(
    chromium: Browser, product: Product, signed_in: Any, problems: list[str]
) -> Iterator[BrowserContext]:
    """The owner's browser."""
    context = chromium.new_context(base_url=product.url, storage_state=signed_in, viewport=DESK)  # type: ignore[arg-type]  # a TypedDict in the stubs
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on(
        "console",
        lambda said: problems.append(said.text) if said.type in ("error", "warning") else None,
    )
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def chat(page: Page) -> Chat:
    """A tab with an empty conversation."""
    page.goto("/")
    return Chat(page)
