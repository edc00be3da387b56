"""Typing and sending: nothing that was typed is lost, nothing is sent by mistake or twice."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from chat.cassettes.walkthrough import questions
from chat.models import LanguageModel, Turn
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tracing.models import Span

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
# As who reads English sees 数据库有几张表.
STARTER = questions("en")[0]


def _sent(wire: Wire) -> list[str]:
    return [frame["text"] for frame in wire.frames if frame["type"] == "send"]


def test_the_first_message_begins_a_conversation(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    page.get_by_role("button", name=STARTER).click()
    sent = wire.heard("send")
    assert (sent["conversation"], sent["text"]) == (None, STARTER)
    conversation = AConversation(owner, STARTER)
    wire.accept(conversation.turn(STARTER, status="queued"), sent)
    expect(page).to_have_url(f"{page.url.split('/c/')[0].rstrip('/')}{conversation.url}")
    expect(page.get_by_role("button", name=questions("en")[1])).to_have_count(0)
    current = page.locator("#conversations [aria-current=page]")
    expect(current).to_have_text(STARTER)
    expect(page.get_by_role("heading", level=1)).to_have_text(STARTER)


def test_a_second_message_waits_for_the_conversation_of_the_first(
    page: Page, wire: Wire, owner: User
) -> None:
    page.goto("/")
    message = page.get_by_role("textbox", name="Message")
    for text in ("first", "second"):
        message.fill(text)
        message.press("Enter")
    first = wire.heard("send")
    conversation = AConversation(owner)
    wire.accept(conversation.turn("first", status="queued"), first)
    second = wire.heard("send", 2)
    assert second["text"] == "second"
    assert second["conversation"] == str(conversation.row.public_id)


def test_shift_enter_breaks_the_line_and_enter_sends(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    message = page.get_by_role("textbox", name="Message")
    message.type("one")
    message.press("Shift+Enter")
    message.type("two")
    message.press("Enter")
    assert wire.heard("send")["text"] == "one\ntwo"
    expect(message).to_have_value("")


def test_enter_that_ends_a_composition_does_not_send(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    message = page.get_by_role("textbox", name="Message")
    message.fill("数据库")
    press = "(field, init) => field.dispatchEvent(new KeyboardEvent('keydown', init))"
    for init in ({"isComposing": True}, {"keyCode": 229}):
        message.evaluate(press, {"key": "Enter", "bubbles": True, "cancelable": True, **init})
    message.press("Enter")
    wire.heard("send")
    assert _sent(wire) == ["数据库"]


def test_send_is_for_text_only(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    send = page.get_by_role("button", name="Send", exact=True)
    expect(send).to_be_disabled()
    page.get_by_role("textbox", name="Message").fill("  \n")
    expect(send).to_be_disabled()
    page.get_by_role("textbox", name="Message").fill("x")
    expect(send).to_be_enabled()


def test_the_chosen_model_goes_with_the_message(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    chosen = page.get_by_role("combobox", name="Model").input_value()
    page.get_by_role("textbox", name="Message").fill("x")
    page.keyboard.press("Enter")
    assert wire.heard("send")["model"] == chosen


def test_a_message_without_an_answer_is_sent_again_with_its_key_after_a_cut(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message").fill("Is it there?")
    page.keyboard.press("Enter")
    first = wire.heard("send")
    wire.cut()
    expect(page.locator(".unsent")).to_contain_text("Not sent yet")
    again = wire.heard("send", 2)
    assert again["key"] == first["key"]
    wire.accept(conversation.turn("Is it there?", status="queued"), again)
    expect(page.locator(".unsent")).to_have_count(0)
    expect(page.locator("[data-role=user]")).to_have_count(1)


def test_a_message_without_an_answer_survives_a_reload(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message").fill("Is it there?")
    page.keyboard.press("Enter")
    first = wire.heard("send")
    page.reload()
    expect(page.locator(".unsent")).to_contain_text("Is it there?")
    assert wire.heard("send", 2)["key"] == first["key"]


def test_a_message_that_was_accepted_and_ended_long_ago_leaves_nothing_running(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message").fill("x")
    page.keyboard.press("Enter")
    sent = wire.heard("send")
    wire.accept(conversation.turn("x", "Done.", status="done"), sent)
    expect(page.locator("[data-role=assistant]")).to_have_attribute("data-state", "done")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()


def test_a_rejected_message_says_why_and_can_be_edited(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message").fill("x")
    page.keyboard.press("Enter")
    wire.say({"type": "rejected", "key": wire.heard("send")["key"], "error": "Too long."})
    expect(page.locator(".unsent")).to_contain_text("Too long.")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("x")
    expect(page.locator(".unsent")).to_have_count(0)


def test_a_draft_is_kept_for_its_conversation(page: Page, wire: Wire, owner: User) -> None:
    one, other = AConversation(owner, "One"), AConversation(owner, "Other")
    page.goto(one.url)
    page.get_by_role("textbox", name="Message").fill("half a thought")
    page.goto(other.url)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    page.goto(one.url)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("half a thought")


@pytest.mark.parametrize("status", ["failed", "stopped"])
def test_the_question_of_a_turn_that_did_not_work_can_be_tried_again(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, status: str
) -> None:
    conversation.turn("  Why?\n", status=status)
    opened(conversation)
    button = page.get_by_role("button", name="Try again")
    button.focus()
    page.keyboard.press("Enter")
    assert wire.heard("send")["text"] == "  Why?\n"


def test_only_the_last_turn_can_be_tried_again(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    conversation.turn("Why?", status="failed", error="It broke.")
    conversation.turn("And now?", answer="So.")
    opened(conversation)
    expect(page.get_by_text("It broke.")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


# The connection


def test_a_gap_is_asked_for_from_the_last_event(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = conversation.turn(status="streaming")
    wire.begin(turn)
    wire.delta(turn, 0, "a")
    wire.events += 1
    wire.delta(turn, 2, "c")
    asked = wire.heard("open", 2)
    assert asked["cursor"] == "7-4"


def test_after_a_cut_the_page_goes_on_from_where_it_was(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = conversation.turn(status="streaming")
    wire.begin(turn)
    wire.delta(turn, 0, "before ")
    expect(page.locator("[data-tail]")).to_have_text("before ", use_inner_text=False)
    wire.cut()
    assert wire.heard("open", 2)["cursor"] == "7-4"
    wire.delta(turn, 7, "after")
    expect(page.locator("[data-tail]")).to_have_text("before after")


def test_a_snapshot_that_was_not_asked_for_brings_what_was_missed(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = conversation.turn("one", status="streaming")
    wire.begin(turn)
    expect(page.locator("[data-role=assistant]")).to_have_attribute("data-state", "streaming")
    turn.round("First.")
    Turn.objects.filter(pk=turn.row.pk).update(status="done")
    conversation.turn("two", "Second.")
    last = conversation.turn("three", "Third.")
    ended = {"turn": str(last.row.public_id), "state": "done", "epoch": 1, "running": None}
    conversation_id = str(conversation.row.public_id)
    wire.say(
        {"type": "snapshot", "conversation": conversation_id, "cursor": "8-1", "turns": [ended]}
    )
    questions = page.locator("[data-role=user] .user-text")
    expect(questions).to_have_text(["one", "two", "three"])
    states = page.locator('[data-role=assistant][data-state="done"]')
    expect(states).to_have_count(3)


def test_who_was_signed_out_is_told_and_keeps_what_was_typed(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    page.get_by_role("textbox", name="Message").fill("unsaved")
    page.context.clear_cookies()
    turn = conversation.turn(status="queued")
    wire.tell("turn", turn, state="queued", message=None, error=None)
    expect(page.get_by_role("alert")).to_contain_text("You are signed out.")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("unsaved")


def test_a_key_in_a_very_long_text_stores_nothing_until_one_pauses(
    page: Page, wire: Wire, owner: User
) -> None:
    page.goto("/")
    lines = "\n".join(f"line {number} of a long log" for number in range(6000))
    field = page.get_by_role("textbox", name="Message")
    # A long paste would become a file, and `fill` takes half a minute.
    field.evaluate(
        "(one, text) => { one.focus(); one.setRangeText(text, 0, 0, 'end');"
        "one.dispatchEvent(new Event('input', {bubbles: true})); }",
        lines,
    )
    page.evaluate(
        "() => { window.writes = 0; const set = Storage.prototype.setItem;"
        "Storage.prototype.setItem = function (...pair) { writes += 1; set.apply(this, pair); }; }"
    )
    typed = page.evaluate(
        "() => { const before = writes;"
        "for (const key of '0123') document.execCommand('insertText', false, key);"
        "return writes - before; }"
    )
    assert typed == 0
    page.reload()
    expect(field).to_have_value(f"{lines}0123")


def test_another_attempt_takes_the_place_of_the_one_that_failed(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    failed = conversation.turn("hello there", status="failed", error="No.")
    opened(conversation)
    page.get_by_role("button", name="Try again").click()
    sent = wire.heard("send")
    assert (sent["text"], sent["again"]) == ("hello there", str(failed.question.public_id))
    turn = conversation.turn("hello there", status="queued", retry_of=failed.row)
    wire.accept(turn, sent)
    wire.tell("turn", turn, state="queued", message=None, error=None)
    expect(page.locator("#thread .user-message")).to_have_count(1)
    expect(page.locator("#thread")).to_contain_text("Tried again. Attempt 1 failed.")
    expect(page.get_by_role("link", name="Attempt 1")).to_be_visible()


def test_a_message_that_is_too_long_for_the_model_says_so_before_it_is_sent(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    LanguageModel.objects.update(context_window=4_000)
    opened(conversation)
    message = page.get_by_role("textbox", name="Message")
    message.fill("x" * 20_000)
    problem = page.get_by_text("The message has about 5,000 tokens; Walkthrough takes 4,000.")
    expect(problem).to_be_visible()
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    message.fill("x" * 2_000)
    expect(problem).to_be_hidden()
    message.press("Enter")
    assert len(wire.heard("send")["text"]) == 2_000
    assert len(_sent(wire)) == 1


def test_a_turn_that_was_too_long_offers_what_helps(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    failed = conversation.turn("a long question", status="failed", error="Too long.")
    failed.attempt("failed", "Too long.")
    Span.objects.filter(kind="generation").update(attributes={"too_long": True})
    opened(conversation)
    expect(page.get_by_role("button", name="Summarise and try again")).to_be_visible()
    page.get_by_role("button", name="Shorten the message").click()
    message = page.get_by_role("textbox", name="Message")
    expect(message).to_have_value("a long question")
    message.fill("a question")
    message.press("Enter")
    sent = wire.heard("send")
    assert (sent["text"], sent["again"]) == ("a question", str(failed.question.public_id))
