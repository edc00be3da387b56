"""The browser that tests and pictures use: the system's Chromium, else Playwright's own."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from tests.machine import BROWSERS

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

STORED = "local_storage,indexeddb,cache_storage,service_workers"


def launch(playwright: Playwright) -> Browser:
    # CI runs as root, where Chromium's sandbox does not.
    return playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])


@contextmanager
def running() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def executable() -> str | None:
    """The system's Chromium; None for Playwright's own. Without its windows if possible: the others
    take half of what a test computes."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def cookie_at(url: str, header: str) -> Any:
    """The cookie of a Cookie header, for the context of a browser."""
    name, _, value = header.partition("=")
    return {"name": name, "value": value, "url": url}


class SharedChromium:
    """One Chromium for all files of a process.

    Playwright's loop counts as running in this thread from its start to its stop, and Django takes
    what runs beside a loop for asynchronous code. So it counts only while the browser is lent.
    """

    def __init__(self) -> None:
        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self._browser = launch(self._playwright)
        asyncio._set_running_loop(None)

    @contextmanager
    def lent(self) -> Iterator[Browser]:
        """Closes what its user left open."""
        asyncio._set_running_loop(self._loop)
        try:
            if not self._browser.is_connected():
                self._browser = launch(self._playwright)
            yield self._browser
            for context in self._browser.contexts:
                context.close()
        finally:
            asyncio._set_running_loop(None)

    @contextmanager
    def lent_beside_django(self) -> Iterator[Browser]:
        """For tests that use the database while the loop counts."""
        with patch.dict(os.environ, DJANGO_ALLOW_ASYNC_UNSAFE="1"), self.lent() as browser:
            yield browser

    def stop(self) -> None:
        with self.lent() as browser:
            browser.close()
            self._playwright.stop()


class Profile:
    """What a browser keeps, for the tests of a file: each begins without cookies, permissions and
    stored texts, but the hundred scripts of a page stay in the cache."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self._url = url
        self._context = browser.new_context(base_url=url, **options)
        # Its window stays open, for tabs are cheaper than windows.
        self._window = self._context.new_page()
        self._devtools = self._context.new_cdp_session(self._window)

    @contextmanager
    def lent(self, cookies: Any) -> Iterator[BrowserContext]:
        """Closes the tabs that its user left open."""
        context = self._context
        context.clear_permissions()
        self._devtools.send(
            "Storage.clearDataForOrigin", {"origin": self._url, "storageTypes": STORED}
        )
        context.add_cookies(cookies)
        yield context
        context.set_offline(False)
        # Without it, for drafts are sent as a page closes, to a session that may be gone by then.
        context.clear_cookies()
        for page in context.pages:
            if page != self._window:
                page.close()
