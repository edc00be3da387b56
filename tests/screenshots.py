"""Makes the README's pictures: `python -m tests.screenshots [FOLDER]` (docs/screenshots).

Starts the product on a fresh home and takes pictures in Chromium: the walkthrough's conversation
and its last trace, the page of a model; then the Coding assistant at work, a model that reasons and
one that fails at first, with what they say written by hand.
"""

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, expect

from benchmarks.product import Product, running_product
from benchmarks.stub import stub_process
from tests import chromium
from tests.environment import clean_environment
from tests.recordings import model
from tests.recordings.scripts import CODE, COMPARE, HARVEST, NOTES, SEATS

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = (
    "数据库有几张表",
    "分别有多少条记录",
    "这几个表的结构分别是什么样的",
    "查询韩梅梅的年龄,然后在log表里记录下",
)
MODELS = [{"label": "Qwen", "kind": "openai", "dialect": "nous", "name": "stub-nous-t2-n40"}]
ANSWER_MS = 60_000
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with running_product(clean_environment()) as product, chromium.running() as browser:
        page = browser.new_page(viewport=DESK, color_scheme="light", base_url=product.url)
        page.goto(product.sign_in_link)
        _walkthrough(browser, page, folder)
        with stub_process() as stub:
            _model(product, page, stub.base_url, folder)
        with model.running() as base_url:
            _assistant(product, page, base_url, folder)
            _scripted(page, folder)


def _walkthrough(browser: Browser, page: Page, folder: Path) -> None:
    for number, question in enumerate(QUESTIONS, 1):
        _ask(page, question, number)
    _picture(page, folder / "chat.png")
    chat = page.url
    _open_trace(page)
    _picture(page, folder / "trace.png")
    _phone(browser, page, chat, folder / "phone.png")


def _model(product: Product, page: Page, base_url: str, folder: Path) -> None:
    product.run("tests.browser.seeding", {"base_url": base_url, "models": MODELS})
    page.goto("/providers/")
    page.get_by_role("link", name="Qwen", exact=True).click()
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_role("link", name="Trace of this test")).to_be_visible(timeout=ANSWER_MS)
    expect(page.get_by_text("The model is being called")).to_be_hidden()
    _picture(page, folder / "model.png")


def _assistant(product: Product, page: Page, base_url: str, folder: Path) -> None:
    conversations = {"hello": [CODE], "subagents": [NOTES, COMPARE]}
    wanted = {"base_url": base_url, "conversations": conversations}
    product.run("tests.recordings.recording", wanted)
    page.goto("/")
    page.get_by_role("link", name=model.title_of(CODE)).click()
    page.get_by_role("button", name="Files 2").click()
    page.get_by_role("dialog", name="Files").get_by_role("button", name="greeting.py").first.click()
    expect(page.get_by_role("region", name="Content of the file")).to_be_visible()
    _picture(page, folder / "assistant.png")
    page.get_by_role("link", name=model.title_of(NOTES)).click()
    _open_trace(page)
    _picture(page, folder / "subagents.png")


def _scripted(page: Page, folder: Path) -> None:
    """One answer with reasoning, and one that is refused twice before."""
    _begin(page, SEATS)
    page.locator("details.reasoning > summary").first.click()
    _picture(page, folder / "reasoning.png")
    _begin(page, HARVEST)
    _open_trace(page)
    _picture(page, folder / "retry.png")


def _begin(page: Page, question: str) -> None:
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option(label=model.NAME)
    _ask(page, question, 1)


def _ask(page: Page, question: str, number: int) -> None:
    """Asks, and waits for the `number`-th answer of the conversation."""
    page.get_by_role("textbox", name="Message").fill(question)
    page.keyboard.press("Enter")
    done = page.locator('[data-role=assistant][data-state="done"]')
    expect(done).to_have_count(number, timeout=ANSWER_MS)


def _open_trace(page: Page) -> None:
    page.get_by_role("link", name="Trace", exact=True).last.click()
    page.wait_for_load_state("networkidle")


def _phone(browser: Browser, signed_in: Page, url: str, file: Path) -> None:
    state = signed_in.context.storage_state()
    page = browser.new_page(viewport=PHONE, color_scheme="dark", storage_state=state)
    page.goto(url)
    _picture(page, file)


def _picture(page: Page, file: Path) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=file, animations="disabled", caret="hide")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots")
