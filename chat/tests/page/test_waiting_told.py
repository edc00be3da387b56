"""A hidden tab tells that a person is waited for, once for each thing that waits."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chat.models import PersonalSettings
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tests.chromium import HIDDEN

pytestmark = pytest.mark.browser

CALL: dict[str, Any] = {
    **{"round": 1, "index": 1, "name": "sqlite-write_query", "server": "sqlite"},
    **{"arguments": "{}", "is_error": False, "result": None, "elapsed_ms": 0, "subagent": None},
}


def test_each_call_that_waits_is_told_once(
    page: Page, wire: Wire, conversation: AConversation, opened: Callable[..., None]
) -> None:
    PersonalSettings.change(conversation.row.owner, notifications=True)
    turn = conversation.turn("数据库有几张表", status="streaming")
    page.add_init_script(HIDDEN)
    opened(conversation)
    wire.begin(turn)
    for number, call in enumerate(("c1", "c2"), 1):
        wire.tell("call", turn, **CALL, call=call, state="awaiting_approval")
        page.wait_for_function("count => window.told.length === count", arg=number)
        wire.tell("call", turn, **CALL, call=call, state="awaiting_approval")
        wire.tell("call", turn, **CALL, call=call, state="sent")
        expect(page.locator(f"#call-{call}")).to_have_attribute("data-state", "sent")
    expect(page).to_have_title(re.compile("^● "))
    assert page.evaluate("window.told") == ["Waits for you", "Waits for you"]


def test_a_title_that_comes_meanwhile_stays_marked(
    page: Page, wire: Wire, conversation: AConversation, opened: Callable[..., None]
) -> None:
    turn = conversation.turn("数据库有几张表", status="streaming")
    page.add_init_script(HIDDEN)
    opened(conversation)
    wire.begin(turn)
    wire.tell("call", turn, **CALL, call="c1", state="awaiting_approval")
    expect(page).to_have_title(re.compile("^● "))
    wire.tell("conversation", turn, title="表的数量")
    expect(page).to_have_title("● 表的数量 · Roundtrip")
