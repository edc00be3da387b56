"""What the page shows while a turn runs."""

import re
import uuid
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from playwright.sync_api import Page, expect

from chat.models import ConversationShare, Turn
from chat.tests.builders import AConversation, ATurn, a_user
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser

Opened = Callable[..., None]


def _end(turn: ATurn, status: str = "done") -> None:
    Turn.objects.filter(pk=turn.row.pk).update(status=status, ended=turn.began, tokens_out=7)


def _answer(page: Page, turn: ATurn) -> str:
    return f"#turn-{turn.row.public_id} [data-role=assistant]"


def _send(page: Page, wire: Wire, conversation: AConversation, text: str = "How many?") -> ATurn:
    """Sends a message, and has it accepted as a turn that streams."""
    page.get_by_role("textbox", name="Message").fill(text)
    page.keyboard.press("Enter")
    sent = wire.heard("send")
    turn = conversation.turn(text, status="streaming")
    wire.accept(turn, sent)
    wire.begin(turn)
    return turn


def test_an_answer_streams_block_by_block_and_ends_as_the_server_has_it(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    answer = page.locator(_answer(page, turn))
    wire.delta(turn, 0, "**Three**")
    expect(answer.locator("strong")).to_have_text("Three")
    wire.delta(turn, 9, "\n\nand")
    block = {"generation": "g", "part": "content", "index": 0, "start": 0, "end": 11}
    wire.tell("block", turn, **block, html="<p><strong>Three</strong></p>\n")
    expect(answer.locator("strong")).to_have_text("Three")
    expect(answer.locator("[data-tail]")).to_have_text(["and"])
    turn.round("**Three**\n\nand more.")
    _end(turn)
    wire.tell("turn", turn, state="done", message=None, error=None)
    expect(answer).to_have_attribute("data-state", "done")
    expect(answer.locator(".prose")).to_have_text("Three and more.", use_inner_text=False)
    expect(answer.get_by_role("link", name="Trace", exact=True)).to_be_visible()
    expect(page.locator("#announcer")).to_have_text("Answer complete: Three and more.")


def test_list_items_that_come_one_by_one_are_one_list(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    wire.delta(turn, 0, "- a\n- b\n- c")
    for index, (tag, item) in enumerate([("<ul>", "a"), ('<ul class="continued">', "b")]):
        covers = {"index": index, "start": 4 * index, "end": 4 * index + 4}
        html = f"{tag}\n<li>{item}</li>\n</ul>\n"
        wire.tell("block", turn, generation="g", part="content", **covers, html=html)
    answer = page.locator(_answer(page, turn))
    expect(answer.locator("ul")).to_have_count(1)
    expect(answer.locator("li")).to_have_text(["a", "b", "c"])


def test_a_comment_in_code_is_no_heading_above_those_that_follow(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    wire.delta(turn, 0, "```py\n# a\n```\n## Next")
    block = {"generation": "g", "part": "content", "index": 0, "start": 0, "end": 14}
    html = '<figure class="code"><pre><code># a\n</code></pre></figure>\n'
    wire.tell("block", turn, **block, html=html)
    expect(page.locator(f"{_answer(page, turn)} h3[data-tail]")).to_have_text("Next")


def test_the_line_under_a_running_answer_says_what_happens(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    status = page.locator(f"{_answer(page, turn)} .status")
    expect(status).to_contain_text("waiting for the model")
    expect(status).to_contain_text(" s")
    wire.delta(turn, 0, "hm", part="reasoning")
    expect(status).to_contain_text("thinking")
    turn.attempt("failed", error="429 Too Many Requests")
    wire.generation(turn, state="failed", error="429 Too Many Requests", retry_in_ms=50_000)
    expect(status).to_contain_text("retrying in 50 s (attempt 2)")
    answer = page.locator(_answer(page, turn))
    expect(answer).to_contain_text("Attempt 1 failed: 429 Too Many Requests")


@pytest.mark.parametrize("how", ["the browser is offline", "the socket is cut"])
def test_without_a_connection_no_clock_goes_on_and_the_line_says_so(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, how: str
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    status = page.locator(f"{_answer(page, turn)} .status")
    wire.delta(turn, 0, "hm")
    expect(status).to_contain_text(re.compile(r"writing\s*[\d.]+ s"))
    wire.refusing = True
    if how == "the browser is offline":
        page.context.set_offline(True)
    else:
        wire.cut()
    expect(status).to_have_text("offline · the answer continues on the server")
    page.context.set_offline(False)
    wire.refusing = False
    expect(status).to_contain_text(re.compile(r"writing\s*[\d.]+ s"), timeout=10_000)


def test_a_deleted_conversation_says_so_in_another_tab_and_keeps_what_was_typed(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    field = page.get_by_role("textbox", name="Message")
    field.fill("What I typed")
    wire.tell("deleted", turn)
    banner = page.locator("[data-banner=deleted]")
    expect(banner).to_contain_text("This conversation was deleted.")
    expect(page.locator(f"{_answer(page, turn)} .status")).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    field.press("Enter")
    field.press("ControlOrMeta+a")
    field.press("ControlOrMeta+c")
    assert page.evaluate("navigator.clipboard.readText()") == "What I typed"
    assert len([frame for frame in wire.frames if frame["type"] == "send"]) == 1
    banner.get_by_role("link", name="New conversation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New conversation")


@pytest.mark.parametrize(("is_guest", "banner"), [(False, "deleted"), (True, "unshared")])
def test_a_conversation_that_is_missing_is_deleted_or_to_a_guest_no_longer_shared(
    page: Page, wire: Wire, owner: User, conversation: AConversation, is_guest: bool, banner: str
) -> None:
    if is_guest:
        group = Group.objects.create(name="Research")
        owner.groups.add(group)
        conversation.row.owner = a_user("anna")
        conversation.row.save()
        ConversationShare.objects.create(conversation=conversation.row, group=group)
    page.goto(conversation.url)
    about = wire.heard("open")["conversation"]
    wire.say({"type": "error", "code": "unknown", "error": "None.", "conversation": about})
    expect(page.locator(".banner:visible")).to_have_attribute("data-banner", banner)


def test_a_retry_drops_the_text_of_the_attempt_before(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    wire.delta(turn, 0, "Half of")
    answer = page.locator(_answer(page, turn))
    expect(answer).to_contain_text("Half of")
    wire.generation(turn, "g2", attempt=2)
    expect(answer).not_to_contain_text("Half of")


def test_a_tool_call_has_a_card_at_once_and_its_details_with_the_result(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    (call,) = turn.round(calls=(("sqlite-list_tables", {}),))
    about = {"round": 1, "call": str(call.public_id), "index": 1, "name": "sqlite-list_tables"}
    about |= {"server": "sqlite", "arguments": "{}", "is_error": False, "result": None}
    wire.tell("call", turn, **about, state="sent", elapsed_ms=0)
    card = page.locator(f"#call-{call.public_id}")
    expect(card).to_contain_text("sqlite · list_tables")
    turn.end_call(call, "[{'name': 'students'}]")
    about["result"] = "[{'name': 'students'}]"
    wire.tell("call", turn, **about, state="succeeded", elapsed_ms=21)
    expect(page.locator("[data-live] .round")).to_have_count(0)
    card.locator("summary").click()
    expect(card.get_by_role("cell", name="students")).to_be_visible()


def test_a_live_card_that_the_reader_opened_stays_open_and_focused_in_the_finished_round(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    call_id = str(uuid.uuid4())
    about = {"round": 1, "call": call_id, "index": 1, "name": "sqlite-list_tables"}
    about |= {"server": "sqlite", "arguments": "{}", "is_error": False, "result": None}
    wire.tell("call", turn, **about, state="sent", elapsed_ms=0)
    card = page.locator(f"#call-{call_id}")
    card.locator("summary").click()
    expect(card).to_contain_text("Details appear with the result.")
    with transaction.atomic():
        (call,) = turn.round(calls=(("sqlite-list_tables", {}),))
        call.public_id = uuid.UUID(call_id)
        call.save()
    turn.end_call(call, "[{'name': 'students'}]")
    about["result"] = "[{'name': 'students'}]"
    wire.tell("call", turn, **about, state="succeeded", elapsed_ms=21)
    expect(page.locator("[data-live] .round")).to_have_count(0)
    expect(card.get_by_role("cell", name="students")).to_be_visible()
    expect(card.locator("summary")).to_be_focused()


def test_what_the_reader_opened_and_focused_stays_so_when_the_turn_is_swapped(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = _send(page, wire, conversation)
    (call,) = turn.round(calls=(("calculate", {"expression": "1 + 1"}),))
    turn.end_call(call, "2")
    wire.tell("call", turn, round=1, call=str(call.public_id), index=1, name="calculate",
              server="", arguments="{}", state="succeeded", is_error=False, result="2",
              elapsed_ms=1)  # fmt: skip
    card = page.locator(f"#call-{call.public_id}")
    expect(card.locator(".call-elapsed")).to_have_text("21 ms")
    card.locator("summary").click()
    turn.round("Two.")
    _end(turn)
    wire.tell("turn", turn, state="done", message=None, error=None)
    expect(page.locator(_answer(page, turn))).to_have_attribute("data-state", "done")
    expect(card.locator("details.call")).to_have_attribute("open", "")
    expect(card.locator("summary")).to_be_focused()


def test_stop_is_there_while_a_turn_runs_and_names_it(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    stop = page.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_be_hidden()
    turn = _send(page, wire, conversation)
    stop.click()
    assert wire.heard("stop")["turn"] == str(turn.row.public_id)
    _end(turn, "stopped")
    wire.tell("turn", turn, state="stopped", message=None, error=None)
    expect(page.locator(_answer(page, turn))).to_have_attribute("data-state", "stopped")
    expect(stop).to_be_hidden()


def test_escape_stops_only_when_pressed_twice(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    _send(page, wire, conversation)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".toast")).to_have_text("Press Esc again to stop the answer")
    assert not [frame for frame in wire.frames if frame["type"] == "stop"]
    page.keyboard.press("Escape")
    wire.heard("stop")


def test_escape_closes_a_dialog_and_stops_nothing(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    _send(page, wire, conversation)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Limits", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".toast")).to_have_count(0)


def test_a_call_is_approved_on_its_card(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    turn = conversation.turn(status="waiting")
    (call,) = turn.round(calls=(("sqlite-write_query", {"query": "DELETE FROM log"}),))
    call.status = "awaiting_approval"
    call.save()
    opened(conversation)
    page.get_by_role("button", name="Allow once").click()
    decided = wire.heard("decide")
    assert (decided["call"], decided["decision"]) == (str(call.public_id), "approve")


@pytest.mark.parametrize("button", ["Deny", "Allow once"])
def test_the_focus_stays_at_a_call_that_was_decided_by_the_keyboard(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, button: str
) -> None:
    turn = conversation.turn(status="waiting")
    (call,) = turn.round(calls=(("sqlite-write_query", {"query": "DELETE FROM log"}),))
    call.status = "awaiting_approval"
    call.save()
    opened(conversation)
    page.get_by_role("button", name=button, exact=True).press("Enter")
    wire.heard("decide")
    head = page.locator(f"#call-{call.public_id} .call > summary")
    expect(head).to_be_focused()
    call.status = "sent"
    call.save()
    wire.tell("turn", turn, state="tools", message=None, error=None)
    expect(page.locator(".ask")).to_have_count(0)
    expect(head).to_be_focused()


def test_an_approval_shows_what_the_tool_is_and_what_its_server_says_of_it(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    turn = conversation.turn(status="waiting")
    (call,) = turn.round(calls=(("sqlite-write_query", {"query": "DELETE FROM log"}),))
    call.status = "awaiting_approval"
    call.attributes |= {
        "description": "Runs <b>any</b> statement.\u202e",
        "annotations": {"destructiveHint": True, "readOnlyHint": True},
    }
    call.save()
    opened(conversation)
    ask = page.locator(".ask")
    expect(ask).to_contain_text("The server says that this may delete or overwrite data.")
    expect(ask.locator(".ask-description")).to_have_text("Runs <b>any</b> statement.[U+202E]")


def test_a_running_text_is_there_after_a_reload(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    turn = conversation.turn(status="streaming")
    running = {"generation": "g", "round": 1, "epoch": 1}
    running |= {"parts": {"content": "So far", "reasoning": "hm"}}
    state = {"turn": str(turn.row.public_id), "state": "streaming", "epoch": 1}
    opened(conversation, {**state, "message": None, "error": None, "running": running})
    expect(page.locator(f"{_answer(page, turn)} [data-tail]").last).to_have_text("So far")
    wire.delta(turn, 6, ", so good")
    expect(page.locator(_answer(page, turn))).to_contain_text("So far, so good")


def test_the_arguments_of_a_call_are_shown_while_they_are_written(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    turn = conversation.turn(status="streaming")
    head = "\x1e0\x1fwrite_file\x1f"
    running = {"generation": "g", "round": 1, "epoch": 1}
    running |= {"parts": {"content": "", "reasoning": "", "calls": f'{head}{{"path": "a.py'}}
    state = {"turn": str(turn.row.public_id), "state": "streaming", "epoch": 1}
    opened(conversation, {**state, "message": None, "error": None, "running": running})
    card = page.locator(f"{_answer(page, turn)} .writing-call")
    expect(card.locator(".writing-text")).to_have_text('{"path": "a.py')
    wire.delta(turn, len(f'{head}{{"path": "a.py'), '", "content": "one\\ntwo', part="calls")
    expect(card).to_contain_text("write_file")
    expect(card.locator(".writing-text")).to_have_text('{"path": "a.py", "content": "one\ntwo')
    expect(page.locator(f"{_answer(page, turn)} .status")).to_contain_text("writing a tool call")
    fields = {"call": "c1", "round": 1, "index": 0, "name": "write_file", "server": ""}
    fields |= {"arguments": "{}", "is_error": False, "result": None, "elapsed_ms": None}
    wire.tell("call", turn, state="proposed", subagent=None, **fields)
    expect(card).to_have_count(0)
    expect(page.locator("#call-c1")).to_contain_text("write_file")


def test_the_thread_follows_new_text_only_when_the_reader_is_at_its_end(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    for _ in range(5):
        conversation.turn(answer="Text.\n\n" * 10)
    opened(conversation)
    turn = _send(page, wire, conversation)
    below = page.get_by_role("button", name="New text below")
    wire.delta(turn, 0, "line\n" * 50)
    expect(page.locator(f"{_answer(page, turn)} .status")).to_be_in_viewport()
    expect(below).to_be_hidden()
    page.locator("#scroll").evaluate("element => element.scrollTo(0, 0)")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    wire.delta(turn, 250, "line\n" * 50)
    expect(below).to_be_visible()
    below.click()
    expect(page.locator(f"{_answer(page, turn)} .status")).to_be_in_viewport()
    expect(below).to_be_hidden()


def test_a_turn_that_another_tab_sent_appears(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    turn = conversation.turn("From the other tab", status="queued")
    wire.tell("turn", turn, state="queued", message=None, error=None)
    expect(page.locator("[data-role=user]")).to_contain_text(["From the other tab"])


def test_a_title_that_changed_is_shown(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    turn = conversation.turn(answer="x")
    opened(conversation)
    wire.tell("conversation", turn, title="三张表")
    expect(page.get_by_role("heading", level=1)).to_have_text("三张表")
    expect(page).to_have_title("三张表 · Roundtrip")


def test_another_assistant_is_shown_and_its_tools_are_fetched(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    turn = conversation.turn(answer="x")
    opened(conversation)
    page.wait_for_load_state("networkidle")
    with page.expect_response(re.compile("/tools")):
        wire.tell("assistant", turn, name="友好的助手")
    page.get_by_label("This conversation", exact=True).click()
    expect(page.get_by_role("button", name="Assistant: 友好的助手")).to_be_visible()


def test_a_notice_of_the_server_is_a_banner_until_it_is_over(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    banner = page.locator("[data-banner=server]")
    wire.say({"type": "notice", "code": "redis_down", "text": "Live updates are interrupted."})
    expect(banner).to_have_text("Live updates are interrupted.")
    wire.say({"type": "notice", "code": "redis_up", "text": "Live updates are back."})
    expect(banner).to_be_hidden()
