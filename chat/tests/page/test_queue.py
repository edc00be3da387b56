"""The queue below the thread: seen, edited, moved, withdrawn, sent now; by mouse and by keys."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from chat.events.payloads import turn_state
from chat.models import Turn
from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Wire
from chat.turn_queue import line_of

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture
def running(conversation: AConversation) -> ATurn:
    return conversation.turn("What runs?", status="streaming")


@pytest.fixture
def line(conversation: AConversation, running: ATurn) -> list[ATurn]:
    turns = [_wait(conversation, text, running.row) for text in ("one", "two", "three")]
    for before, turn in pairwise(turns):
        Turn.objects.filter(pk=turn.row.pk).update(parent=before.row)
    return turns


@pytest.fixture
def opened(opened: Opened, running: ATurn) -> Opened:
    """With a snapshot that has the running turn and those in line."""

    def open_page(conversation: AConversation) -> None:
        turns = Turn.objects.open().filter(conversation=conversation.row).order_by("pk")
        opened(conversation, *map(_state, turns.select_related("question", "model", "retry_of")))

    return open_page


def _state(turn: Turn) -> dict[str, Any]:
    """As in a snapshot."""
    nothing: dict[str, Any] = {"attempt": None, "running": None, "compaction": None}
    return {**turn_state(turn), **nothing, "calls": [], "questions": [], "subagents": []}


def _wait(conversation: AConversation, text: str, parent: Turn) -> ATurn:
    return conversation.turn(text, status="queued", wakeups=0, parent=parent)


def _items(page: Page) -> Locator:
    return page.get_by_role("region", name="Queue").get_by_role("listitem")


def _act(page: Page, number: int, name: str) -> Locator:
    return _items(page).nth(number - 1).get_by_role("button", name=name)


def _expect_texts(page: Page, *texts: str) -> None:
    expect(page.locator(".queued-text")).to_have_text(list(texts))


def test_messages_in_line_stand_below_the_running_answer_with_their_number(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    expect(_items(page)).to_have_count(3)
    expect(page.locator("article.turn")).to_have_count(1)
    expect(page.locator(".queued-number")).to_have_text(list("123"))
    expect(_items(page).first).to_contain_text("queued")
    page.set_viewport_size(PHONE)
    overflow = "() => document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(overflow)


def test_a_message_is_edited_in_its_place(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    _act(page, 2, "Edit").click()
    field = page.get_by_role("textbox", name="Queued text")
    expect(field).to_have_value("two")
    field.fill("zwei 二")
    field.press("Enter")
    expect(page.locator(".queued-text").nth(1)).to_have_text("zwei 二")
    expect(_act(page, 2, "Edit")).to_be_focused()


def test_escape_leaves_the_text_as_it_was(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    _act(page, 1, "Edit").click()
    page.get_by_role("textbox", name="Queued text").fill("no")
    page.keyboard.press("Escape")
    expect(page.locator(".queue-form")).to_have_count(0)
    _expect_texts(page, "one", "two", "three")


def test_a_message_moves_by_buttons_and_by_keys_and_keeps_the_focus(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    page.set_viewport_size(PHONE)
    opened(conversation)
    _act(page, 3, "Move up").click()
    expect(page.locator(".queued-text").nth(1)).to_have_text("three")
    expect(_act(page, 2, "Move up")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".queued-text").first).to_have_text("three")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator(".queued-text").nth(1)).to_have_text("three")


def test_a_withdrawn_message_goes_into_the_empty_composer(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    _act(page, 1, "Withdraw").click()
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("one")
    expect(_items(page)).to_have_count(2)


def test_with_a_text_in_the_composer_a_withdrawn_message_can_be_undone(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message", exact=True).fill("mine")
    _act(page, 1, "Withdraw").click()
    expect(_items(page)).to_have_count(2)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(_items(page)).to_have_count(3)
    _expect_texts(page, "one", "two", "three")
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("mine")


def test_sent_now_stops_what_runs_and_is_the_first_in_line(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn], running: ATurn
) -> None:
    opened(conversation)
    _act(page, 3, "Send now").click()
    expect(page.locator(".queued-text").first).to_have_text("three")
    running.row.refresh_from_db()
    assert running.row.stop_requested is not None


def test_a_message_is_put_into_the_running_answer_and_back(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    _act(page, 2, "Put into the running answer").click()
    expect(_items(page).first).to_contain_text("goes into the running answer")
    expect(page.locator(".queued-text").first).to_have_text("two")
    _act(page, 1, "Wait for the end").click()
    expect(_items(page).first).to_contain_text("queued")


def test_another_tabs_change_is_shown_and_what_is_typed_here_stays(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    _act(page, 2, "Edit").click()
    field = page.get_by_role("textbox", name="Queued text")
    field.fill("being typed")
    Turn.objects.filter(pk=line[0].row.pk).update(wakeups=1)
    left = [str(turn.public_id) for turn in line_of(conversation.row.pk)]
    wire.tell("queue", line[0], turns=left, notes=[])
    expect(_items(page)).to_have_count(2)
    expect(field).to_have_value("being typed")
    expect(field).to_be_focused()
    expect(page.locator("article.turn")).to_have_count(2)


def test_a_text_whose_message_has_begun_is_kept_in_the_composer(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    _act(page, 1, "Edit").click()
    page.get_by_role("textbox", name="Queued text").fill("being typed")
    Turn.objects.filter(pk=line[0].row.pk).update(wakeups=1)
    left = [str(turn.public_id) for turn in line_of(conversation.row.pk)]
    wire.tell("queue", line[0], turns=left, notes=[])
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("being typed")
    expect(page.locator(".toast")).to_contain_text("in the composer")


def test_who_comes_too_late_is_told(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    Turn.objects.filter(pk=line[0].row.pk).update(wakeups=1)
    _act(page, 1, "Send now").click()
    expect(page.locator(".toast")).to_contain_text("has begun")
    expect(_items(page)).to_have_count(2)


def test_a_key_goes_to_the_queue(
    page: Page, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    page.locator("#scroll").focus()
    page.keyboard.press("q")
    expect(_act(page, 1, "Edit")).to_be_focused()
    page.keyboard.press("Delete")
    expect(_items(page)).to_have_count(2)


def test_a_message_that_waits_comes_from_unsent_into_the_queue(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, running: ATurn
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message", exact=True).fill("behind it")
    page.keyboard.press("Enter")
    sent = wire.heard("send")
    turn = _wait(conversation, "behind it", running.row)
    wire.say(
        {
            "type": "accepted",
            "key": sent["key"],
            "conversation": str(conversation.row.public_id),
            "turn": str(turn.row.public_id),
            "message": str(turn.question.public_id),
            "waits": True,
        }
    )
    expect(_items(page)).to_have_count(1)
    expect(page.locator(".unsent")).to_have_count(0)


def test_a_full_queue_keeps_the_text_in_the_composer(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, line: list[ATurn]
) -> None:
    opened(conversation)
    page.evaluate("() => { document.getElementById('queue').dataset.max = '3'; }")
    page.get_by_role("textbox", name="Message", exact=True).fill("one more")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("3 messages are waiting")
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("one more")
    assert [frame for frame in wire.frames if frame["type"] == "send"] == []


def test_a_message_is_sent_into_the_running_answer_by_a_button_or_a_key(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, running: ATurn
) -> None:
    page.set_viewport_size(PHONE)
    opened(conversation)
    message = page.get_by_role("textbox", name="Message", exact=True)
    button = page.get_by_role("button", name="Put into the running answer")
    expect(button).to_be_hidden()
    message.fill("shorter")
    button.click()
    assert wire.heard("send")["note"] is True
    message.fill("in Chinese")
    message.press("Alt+Enter")
    assert wire.heard("send", 2)["note"] is True
    message.fill("later")
    message.press("Enter")
    assert "note" not in wire.heard("send", 3)
