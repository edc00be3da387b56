"""Tabs on pages of a running product, in a language: the owner's, or of somebody signed out."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Page as Tab

from benchmarks.product import Product
from tests.pages.survey import DESK, LOOKS, LOOKS_OF_PARTS, Findings, settled, survey
from tests.pages.table import Arguments, Page

LANGUAGES = {"en": "en-US", "zh": "zh-CN"}


class Visits:
    """`cookies` are the owner's. A language has one tab of each, which goes from page to page; a
    page begins without what the one before it has left in the browser's storage."""

    def __init__(self, product: Product, chromium: Browser, cookies: Any) -> None:
        self._product = product
        self._chromium = chromium
        self._cookies = cookies
        self.arguments: Arguments = product.run("tests.pages.seeding", {})
        self.browser = cache(self._browser)
        self._tab = cache(self._new_tab)
        # Tabs that are on a page as it was loaded, by its address.
        self._unchanged: dict[Tab, str] = {}

    def _browser(self, language: str, is_signed_in: bool) -> BrowserContext:
        context = self._chromium.new_context(
            base_url=self._product.url,
            viewport=DESK,
            locale=LANGUAGES[language],
            storage_state=self._cookies if is_signed_in else None,
        )
        context.add_init_script("localStorage.clear()")
        return context

    def _new_tab(self, language: str, is_signed_in: bool) -> Tab:
        return self.browser(language, is_signed_in).new_page()

    @contextmanager
    def tab(self, page: Page, language: str) -> Iterator[Tab]:
        """The page, with what is to be opened on it."""
        tab = self._tab(language, page.is_signed_in)
        tab.set_viewport_size(DESK)
        address = page.address(self.arguments)
        if self._unchanged.pop(tab, None) != address:
            answer = tab.goto(address)
            assert answer is not None and answer.status < 500
            settled(tab)
        if page.opens:
            page.opens(tab)
        yield tab

    def closed(self, page: Page, language: str) -> None:
        """What was opened is closed again: the next page with this address need not be loaded."""
        tab = self._tab(language, page.is_signed_in)
        self._unchanged[tab] = page.address(self.arguments)

    def look(self, page: Page, language: str) -> Findings:
        with self.tab(page, language) as tab:
            return survey(tab, language, LOOKS_OF_PARTS if page.is_part_new else LOOKS)
