"""The worker is killed in the middle of an answer, which is begun again; a campaign kills all."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, ViewportSize, expect

from benchmarks.processes import command, role_of
from benchmarks.product import Product, running_product
from benchmarks.stub import stub_process
from benchmarks.stub.text import TIMED_TOKEN
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat
from tests.browser.conftest import DESK, sign_in
from tests.chromium import SharedChromium
from tests.environment import clean_environment

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
AGAIN = "The answer was begun again: the program stopped in the middle of it."
# Milliseconds until the product is up again and the page has noticed.
BACK_MS = 60_000
TOKENS = 240


@pytest.fixture(scope="module")
def product(migrated: Path | None) -> Iterator[Product]:
    """One of its own: the shared one is not killed."""
    with stub_process() as stub, running_product(clean_environment(), migrated) as product:
        model = {"label": "Slow", "name": f"stub-r40-n{TOKENS}"}
        product.run("tests.browser.seeding", {"base_url": stub.base_url, "models": [model]})
        yield product


@pytest.fixture(scope="module")
def chromium(shared_chromium: SharedChromium) -> Iterator[Browser]:
    with shared_chromium.lent() as browser:
        yield browser


@pytest.fixture(scope="module")
def signed_in(product: Product, chromium: Browser) -> Any:
    return sign_in(product, chromium)


@pytest.fixture
def problems() -> list[str]:
    """Of a page whose server goes away."""
    return []


def kill_all(product: Product) -> None:
    """`kill -9` of everything, and a new start."""
    for pid in product.pids:
        with suppress(ProcessLookupError):  # it has ended with its parent
            os.kill(pid, signal.SIGKILL)
    product.stop()
    product.start()


def kill_worker(product: Product) -> None:
    """`kill -9` of the worker of turns, which the supervisor starts again."""
    for pid in product.pids:
        if role_of(command(pid)) == "turns":
            os.kill(pid, signal.SIGKILL)


def tokens(text: str) -> list[str]:
    """The tokens with the times at which they were sent: no two attempts have the same."""
    return [token[0] for token in TIMED_TOKEN.finditer(text)]


def at_widths(chat: Chat, locator: Locator, name: str) -> None:
    """The note is seen whole on a desk and on a phone."""
    folder = os.environ.get("SCREENSHOTS")
    for size in (PHONE, DESK):
        chat.page.set_viewport_size(size)
        locator.scroll_into_view_if_needed()
        box = locator.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
        if folder:
            chat.page.screenshot(path=f"{folder}/{name}-{size['width']}.png")


def begun(chat: Chat) -> tuple[Locator, list[str]]:
    """An answer in its middle, and the tokens that have been read of it."""
    chat.page.get_by_label("Model", exact=True).select_option(label="Slow")
    chat.ask("What now?")
    answer = chat.answers.last
    expect(answer).to_contain_text(TIMED_TOKEN, timeout=BACK_MS)
    chat.page.wait_for_function(
        "() => document.querySelector('[data-role=assistant]').innerText.length > 500"
    )
    return answer, tokens(answer.inner_text())


def test_an_answer_that_is_begun_again_says_so_and_its_trace_has_what_was_read(
    chat: Chat, product: Product
) -> None:
    answer, read = begun(chat)
    kill_worker(product)
    goes_on(chat, answer)
    chat.ended(1)
    assert len(tokens(answer.inner_text())) == TOKENS
    assert accessibility_problems(chat.page) == []
    first, second = chat.trace(answer)["rounds"][0]["generations"]
    assert (first["status"], second["status"]) == ("superseded", "succeeded")
    assert tokens(first["output"]["message"]["content"])[: len(read)] == read
    answer.get_by_role("link", name="Trace of attempt 1").click()
    output = chat.page.locator("#stage-output")
    expect(output).to_contain_text("The text that was shown until the worker stopped.")
    at_widths(chat, output.locator(".stage-empty"), "trace")


@pytest.mark.campaign
def test_it_says_so_after_everything_was_killed(chat: Chat, product: Product) -> None:
    answer, _ = begun(chat)
    kill_all(product)
    goes_on(chat, answer)
    chat.ended(1)
    assert len(tokens(answer.inner_text())) == TOKENS


def goes_on(chat: Chat, answer: Locator) -> None:
    """With a note, which a reload shows too."""
    note = answer.get_by_text(AGAIN)
    expect(note).to_be_visible(timeout=BACK_MS)
    expect(answer).not_to_have_attribute("data-state", "done")
    at_widths(chat, note, "live")
    chat.page.reload()
    expect(note).to_be_visible()
    at_widths(chat, note, "reloaded")
