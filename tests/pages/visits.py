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
    """`cookies` are the owner's. What is found on a page is looked up once."""

    def __init__(self, product: Product, chromium: Browser, cookies: Any) -> None:
        self._product = product
        self._chromium = chromium
        self._cookies = cookies
        self.arguments: Arguments = product.run("tests.pages.seeding", {})
        self.browser = cache(self._browser)
        self.look = cache(self._look)
        self._open: list[BrowserContext] = []

    def close(self) -> None:
        for context in self._open:
            context.close()

    def _browser(self, language: str, is_signed_in: bool) -> BrowserContext:
        context = self._chromium.new_context(
            base_url=self._product.url,
            viewport=DESK,
            locale=LANGUAGES[language],
            storage_state=self._cookies if is_signed_in else None,
        )
        self._open.append(context)
        return context

    @contextmanager
    def tab(self, page: Page, language: str) -> Iterator[Tab]:
        """The page, with what is to be opened on it."""
        tab = self.browser(language, page.is_signed_in).new_page()
        try:
            tab.goto(page.address(self.arguments))
            settled(tab)
            if page.opens:
                page.opens(tab)
            yield tab
        finally:
            tab.close()

    def _look(self, page: Page, language: str) -> Findings:
        with self.tab(page, language) as tab:
            return survey(tab, language, LOOKS_OF_PARTS if page.is_part_new else LOOKS)
