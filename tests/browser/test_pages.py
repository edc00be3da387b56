"""All pages, in both languages: axe finds nothing, nothing is wider than a screen, nothing is left
in English, and no text turns its neighbours round. What fails here is a line for each element."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from benchmarks.product import Product
from tests.pages import table
from tests.pages.table import Page
from tests.pages.visits import LANGUAGES, Visits

pytestmark = pytest.mark.browser

PAGES = table.pages()
# `make test` looks at each page in Chinese, which two more tests need; English ones are longer.
BOTH = (pytest.param("en", marks=pytest.mark.campaign), "zh")
assert {"en", "zh"} == set(LANGUAGES)


@pytest.fixture(scope="module")
def visits(product: Product, chromium: Browser, signed_in: Any) -> Iterator[Visits]:
    visits = Visits(product, chromium, signed_in)
    yield visits
    visits.close()


@pytest.mark.parametrize("language", BOTH)
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_axe_finds_nothing(visits: Visits, page: Page, language: str) -> None:
    assert visits.look(page, language).axe == []


@pytest.mark.parametrize("language", BOTH)
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_fits_at_200_percent_and_on_phones(
    visits: Visits, page: Page, language: str
) -> None:
    assert visits.look(page, language).wide == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_chinese_page_has_no_english_sentence(visits: Visits, page: Page) -> None:
    assert visits.look(page, "zh").english == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_foreign_directions_turn_nothing_round(visits: Visits, page: Page) -> None:
    assert visits.look(page, "zh").mixed == []


def test_every_address_that_answers_a_document_is_a_page_here(visits: Visits) -> None:
    wrong = []
    for page in table.asked():
        answer = visits.browser("en", page.is_signed_in).request.get(page.address(visits.arguments))
        is_html = "text/html" in answer.headers.get("content-type", "")
        is_document = is_html and "<html" in answer.text()
        if is_document == (page.route in table.NO_PAGES):
            wrong.append(f"{page}: {answer.status} {'a page' if is_document else 'no page'}")
    assert wrong == []
