"""The pages of prompts, in a browser."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from chat.models import PromptTemplate
from tests import axe

pytestmark = pytest.mark.browser


def test_a_prompt_is_made_listed_and_deleted(page: Page, owner: User) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/prompts/")
    expect(page.get_by_text("No prompts yet.")).to_be_visible()
    page.get_by_role("link", name="New prompt").click()
    page.get_by_label("Name").fill("翻译")
    page.get_by_label("Text").fill("把{{原文}}译成{{语言 = 英文}}" + " 长" * 300)
    assert axe.run(page)["broken"] == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="/翻译")).to_be_visible()
    expect(page.locator(".prompt-variables .badge")).to_have_text(["原文", "语言"])
    assert axe.run(page)["broken"] == []
    inner, outer = page.locator("html").evaluate("one => [one.scrollWidth, one.clientWidth]")
    assert inner <= outer
    page.get_by_label("Delete 翻译").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No prompts yet.")).to_be_visible()
    assert not PromptTemplate.objects.exists()
