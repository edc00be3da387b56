"""What changed between two rounds, and the JSON of a stage as a tree."""

import re

import pytest
from playwright.sync_api import Page, expect

from benchmarks.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(product: Product) -> str:
    made: dict[str, str] = product.run("tests.browser.trace_seeding", {"names": ["changes"]})
    return made["changes"]


def test_changed_words_are_marked_and_lead_to_the_other_list(page: Page, address: str) -> None:
    page.goto(f"{address}?round=2")
    meant = page.locator("#stage-input")
    expect(meant.locator("del").first).to_have_text("两")
    expect(meant.locator("ins").first).to_have_text("三")
    meant.get_by_role("link", name="user 4").click()
    expect(page.locator("#request-4")).to_be_in_viewport()


def test_a_round_is_compared_with_a_chosen_one(page: Page, address: str) -> None:
    page.goto(f"{address}?round=1")
    page.get_by_text("First model call").click()
    page.get_by_role("textbox", name="Round").fill("2")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("Compared with round 2")).to_be_visible()
    expect(page.locator("#stage-input del").first).to_have_text("三")


def test_what_was_meant_stands_beside_what_was_sent(page: Page, address: str) -> None:
    page.goto(f"{address}?round=2")
    page.get_by_role("link", name="beside the input").click()
    expect(page.locator("#stage-request .beside")).to_contain_text("wrapped")
    expect(page).to_have_url(re.compile("request=beside"))


def test_a_tree_folds_tells_its_paths_and_is_searched(page: Page, address: str) -> None:
    page.goto(f"{address}?round=1&request=json")
    tree = page.locator("#stage-request json-tree")
    tree.get_by_role("button", name="fold", exact=True).click()
    expect(tree.locator(".json-string", has_text="<tool_response>")).to_be_hidden()
    tree.get_by_role("searchbox").fill("tool_response")
    expect(tree.locator("[data-found]").first).to_be_visible()
    expect(tree.locator("[data-path]")).to_have_text("$.messages[3].content")


def test_a_value_is_copied_from_the_tree(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}?round=1&request=json")
    tree = page.locator("#stage-request json-tree")
    tree.get_by_text('"qwen"', exact=True).click()
    tree.get_by_role("button", name="value").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "qwen"
