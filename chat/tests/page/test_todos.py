"""The model's list on the page: live, after a reload, beside the thread and above the composer."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


def item(number: int, status: str = "pending", text: str = "") -> dict[str, str]:
    return {"id": str(number), "text": text or f"thing {number}", "status": status}


HALF = [item(1, "completed"), item(2, "in_progress", "第二步：查数据库"), item(3)]


def keep(conversation: AConversation, items: list[dict[str, str]]) -> None:
    conversation.row.todos = items
    conversation.row.save(update_fields=["todos"])


def tell(wire: Wire, items: list[dict[str, str]]) -> None:
    wire.events += 1
    wire.say({"id": f"7-{wire.events}", "type": "todos", "items": items})


def test_without_a_list_nothing_is_shown(
    page: Page, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    opened(conversation)
    expect(page.locator("#todos")).to_be_hidden()


def test_the_list_comes_and_changes_while_the_model_works(
    page: Page, wire: Wire, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    page.set_viewport_size(WIDE)
    opened(conversation)
    tell(wire, HALF)
    expect(page.locator(".todo")).to_have_count(3)
    expect(page.locator('.todo[data-status="in_progress"]')).to_contain_text("第二步：查数据库")
    expect(page.get_by_role("button", name="Plan 1 of 3")).to_be_visible()
    tell(wire, [item(1, "completed"), item(2, "completed")])
    expect(page.locator(".todos-list")).to_be_hidden()
    expect(page.locator("#announcer")).to_have_text("Plan: all done")


def test_a_reload_keeps_the_list(page: Page, conversation: AConversation, opened: Opened) -> None:
    conversation.turn(answer="Yes.")
    keep(conversation, HALF)
    page.set_viewport_size(WIDE)
    opened(conversation)
    expect(page.locator(".todo")).to_have_count(3)
    expect(page.locator(".todos-list")).to_be_visible()


def test_on_a_phone_it_is_a_strip_that_opens(
    page: Page, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    keep(conversation, HALF)
    page.set_viewport_size(PHONE)
    opened(conversation)
    strip = page.get_by_role("button", name="Plan 1 of 3 now: 第二步：查数据库")
    expect(page.locator(".todos-list")).to_be_hidden()
    strip.press("Enter")
    expect(page.locator(".todos-list")).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_twenty_long_items_widen_nothing(
    page: Page, conversation: AConversation, opened: Opened, size: Any
) -> None:
    conversation.turn(answer="Yes.")
    texts = ["W" * 300, "اقرأ الملف ثم اكتب الملخص", "数据库" * 60]
    keep(conversation, [item(n, text=f"{n} {texts[n % 3]}") for n in range(20)])
    page.set_viewport_size(size)
    opened(conversation)
    page.evaluate("document.getElementById('todos-toggle').click()")
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    below = page.locator("#composer").bounding_box()
    assert below is not None and below["y"] + below["height"] <= size["height"]


def test_a_page_that_lost_the_thread_learns_the_list_from_the_snapshot(
    page: Page, wire: Wire, conversation: AConversation, opened: Opened
) -> None:
    conversation.turn(answer="Yes.")
    opened(conversation)
    about: dict[str, Any] = {"conversation": str(conversation.row.public_id), "turns": []}
    wire.say({"type": "snapshot", "cursor": "8-1", "todos": HALF, **about})
    expect(page.locator(".todo")).to_have_count(3)
