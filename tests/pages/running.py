"""For commands: the product on a fresh home, filled, with Chromium at its pages."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from playwright.sync_api import expect

from benchmarks.product import running_product
from tests import chromium
from tests.environment import clean_environment
from tests.pages.visits import Visits


@contextmanager
def visiting() -> Iterator[Visits]:
    with running_product(clean_environment()) as product, chromium.running() as browser:
        page = browser.new_page()
        page.goto(product.sign_in_link)
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        yield Visits(product, browser, page.context.storage_state())
