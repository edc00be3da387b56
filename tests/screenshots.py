"""Makes the README's pictures: `python -m tests.screenshots [FOLDER]` (docs/screenshots).

Starts the product on a fresh home, asks the walkthrough's questions in Chromium, and takes pictures
of the chat, of the last trace, and of the chat on a phone.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.chromium import launch
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = (
    "数据库有几张表",
    "分别有多少条记录",
    "这几个表的结构分别是什么样的",
    "查询韩梅梅的年龄,然后在log表里记录下",
)
ANSWER_MS = 60_000
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with product() as link, sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport=DESK, color_scheme="light")  # type: ignore[arg-type]  # a TypedDict in the stubs
        page.goto(link)
        _ask(page)
        _picture(page, folder / "chat.png")
        chat = page.url
        page.get_by_role("link", name="Trace", exact=True).last.click()
        page.wait_for_load_state("networkidle")
        _picture(page, folder / "trace.png")
        _phone(browser, page, chat, folder / "phone.png")
        browser.close()


@contextmanager
def product() -> Iterator[str]:
    """The whole product on a home of its own; gives the owner's sign-in link."""
    with tempfile.TemporaryDirectory(prefix="roundtrip-pictures-") as home:
        environment = {**os.environ, "ROUNDTRIP_HOME": home, "PORT": str(free_port())}
        for name in ("REDIS_URL", "DATABASE_URL", "OPENAI_API_KEY", "DJANGO_SETTINGS_MODULE"):
            environment.pop(name, None)
        command = [sys.executable, "-m", "config.supervisor"]
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield _link(process)
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=30)


def _link(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"Sign in: (\S+)", line):
            return found[1]
    raise RuntimeError("the product ended without a sign-in link")


def _ask(page: Page) -> None:
    for number, question in enumerate(QUESTIONS, 1):
        page.get_by_role("textbox", name="Message").fill(question)
        page.keyboard.press("Enter")
        done = page.locator('[data-role=assistant][data-state="done"]')
        expect(done).to_have_count(number, timeout=ANSWER_MS)


def _phone(browser: Browser, signed_in: Page, url: str, file: Path) -> None:
    cookies = signed_in.context.cookies()
    page = browser.new_page(viewport=PHONE, color_scheme="dark")  # type: ignore[arg-type]
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    page.goto(url)
    _picture(page, file)


def _picture(page: Page, file: Path) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=file, animations="disabled", caret="hide")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots")
