"""The browser that tests and pictures use: the system's Chromium, else Playwright's own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from playwright.sync_api import Browser, sync_playwright

# For a page's `add_init_script`: it counts as hidden, and notes what it notifies of.
HIDDEN = """(() => {
  Object.defineProperty(document, "hidden", { get: () => true });
  window.told = [];
  window.Notification = class {
    static permission = "granted";
    constructor(title, { body }) {
      window.told.push(body);
    }
  };
})()"""


@contextmanager
def running() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # CI runs as root, where Chromium's sandbox does not.
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def beside_django() -> Iterator[Browser]:
    """For tests that use the database: Playwright's loop runs in this thread, and Django takes
    whatever runs beside it for asynchronous code."""
    with patch.dict(os.environ, DJANGO_ALLOW_ASYNC_UNSAFE="1"), running() as browser:
        yield browser


def executable() -> str | None:
    """The system's Chromium; None for Playwright's own."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def cookie_at(url: str, header: str) -> Any:
    """The cookie of a Cookie header, for the context of a browser."""
    name, _, value = header.partition("=")
    return {"name": name, "value": value, "url": url}
