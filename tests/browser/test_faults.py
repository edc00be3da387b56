"""A model endpoint that fails, as a person sees it: attempts, waits, Stop, and trying again."""

import re

import pytest
from playwright.sync_api import Locator, expect

from benchmarks.stub import StubProcess
from benchmarks.stub.text import TIMED_TOKEN
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("stub")]

MODELS = [
    {"label": "Breaks off once", "name": "stub-r30-n40-ferror-at25-x1"},
    {"label": "Asks to wait", "name": "stub-f429-w90"},
    {"label": "Never works", "name": "stub-f503-w1"},
    {"label": "Says nothing", "name": "stub-fsilent"},
    {"label": "Stops at its limit", "name": "stub-n40-flimit"},
    {"label": "Works", "name": "stub-n10"},
]
REPORTED = "The model server reported an error. (The stub reports an error as it was told.)"
BUSY = "The model server received too many requests (HTTP 429)"


def choose(chat: Chat, model: str) -> None:
    chat.page.get_by_label("Model", exact=True).select_option(label=model)


def ask(chat: Chat, model: str) -> Locator:
    """Asks a model; the answer as it is by then."""
    choose(chat, model)
    chat.ask("What now?")
    return chat.answers.last


def tokens(answer: Locator) -> list[int]:
    """The numbers of the tokens that are shown."""
    return [int(token[1]) for token in TIMED_TOKEN.finditer(answer.inner_text())]


def test_a_failed_attempt_is_told_and_its_text_replaced_by_the_next(chat: Chat) -> None:
    answer = ask(chat, "Breaks off once")
    expect(answer).to_contain_text(f"Attempt 1 failed: {REPORTED}")
    expect(answer.locator(".status")).to_contain_text("retrying")
    assert tokens(answer) == list(range(25))
    chat.ended(1)
    assert tokens(answer) == list(range(40))
    chat.page.reload()
    assert tokens(chat.ended(1)) == list(range(40))
    expect(chat.answers.first).to_contain_text(f"Attempt 1 failed: {REPORTED}")


def test_a_wait_is_counted_down_after_a_reload_too_and_can_be_stopped(chat: Chat) -> None:
    answer = ask(chat, "Asks to wait")
    status = answer.locator(".status")
    expect(status).to_contain_text(re.compile(r"retrying in 1 min \d+ s \(attempt 2\)"))
    expect(answer).to_contain_text(f"Attempt 1 failed: {BUSY}")
    chat.reload()
    expect(status).to_contain_text(re.compile(r"retrying in 1 min \d+ s \(attempt 2\)"))
    assert accessibility_problems(chat.page) == []
    chat.stop.click()
    expect(answer).to_have_attribute("data-state", "stopped")


def test_what_failed_can_be_tried_again_with_another_model_by_keyboard(chat: Chat) -> None:
    answer = ask(chat, "Never works")
    expect(answer.locator(".status")).to_contain_text("retrying in 1 s")
    chat.ended(1, "failed")
    expect(answer).to_contain_text("The model server reported an internal error (HTTP 503)")
    expect(answer).to_contain_text("Attempts 1 to 3 failed")
    assert accessibility_problems(chat.page) == []
    choose(chat, "Works")
    chat.page.get_by_role("button", name="Try again").focus()
    chat.page.keyboard.press("Enter")
    chat.ended(1)
    expect(chat.answers).to_have_count(1)
    expect(chat.page.get_by_role("button", name="Try again")).to_have_count(0)
    expect(chat.composer).to_be_focused()


def test_stop_ends_a_model_that_says_nothing_and_the_turn_can_be_tried_again(chat: Chat) -> None:
    answer = ask(chat, "Says nothing")
    expect(answer.locator(".status")).to_contain_text("waiting for the model")
    chat.stop.click()
    expect(answer).to_have_attribute("data-state", "stopped")
    expect(answer).to_contain_text("Stopped before the answer began.")
    choose(chat, "Works")
    chat.page.get_by_role("button", name="Try again").click()
    chat.ended(1)
    expect(chat.answers).to_have_count(1)


def test_an_answer_that_is_cut_at_its_limit_says_so(chat: Chat) -> None:
    ask(chat, "Stops at its limit")
    answer = chat.ended(1)
    expect(answer).to_contain_text("The answer was cut off at its length limit.")


def test_the_trace_has_every_attempt_with_its_status_and_bytes(
    chat: Chat, stub: StubProcess
) -> None:
    ask(chat, "Never works")
    answer = chat.ended(1, "failed")
    attempts = chat.trace(answer)["rounds"][0]["generations"]
    assert [attempt["status_code"] for attempt in attempts] == [503] * 4
    sent = [request.sent.decode() for request in stub.completions[-4:]]
    assert [attempt["response"]["body"] for attempt in attempts] == sent
    answer.get_by_role("link", name="Trace", exact=True).click()
    lanes = chat.page.locator(".lane-error")
    expect(lanes).to_have_count(4)
    expect(lanes.first).to_contain_text("tried again after 1.0")
