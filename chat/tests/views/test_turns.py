"""Turns as the thread shows them."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.tests.builders import AConversation, a_user
from chat.tests.views.pages import page_html
from tracing.models import Span

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", ["queued", "streaming", "waiting", "done", "failed", "stopped"])
def test_an_answer_says_its_state_and_links_to_its_trace(
    page: Client, conversation: AConversation, status: str
) -> None:
    turn = conversation.turn(status=status)
    html = page_html(page, conversation.url).partition('<template id="turn-template">')[0]
    assert html.count(f'data-role="assistant" data-state="{status}"') == 1
    assert f'<a class="trace-link" href="/traces/{turn.trace.public_id}/">Trace</a>' in html


def test_an_answer_is_rendered_and_counted(page: Client, conversation: AConversation) -> None:
    turn = conversation.turn(answer="**Three** tables.", rounds=2, tokens_in=3120, tokens_out=96)
    html = page_html(page, reverse("chat:turn", args=[turn.row.public_id]))
    assert "<strong>Three</strong> tables." in html
    for figure in ("2 rounds", "1.2 s", "3,120 → 96 tokens"):
        assert figure in html


def test_the_page_and_the_partial_show_a_turn_alike(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(answer="- a\n- b")
    partial = page_html(page, reverse("chat:turn", args=[turn.row.public_id])).strip()
    assert partial in page_html(page, conversation.url)
    thread = reverse("chat:thread", args=[conversation.row.public_id])
    assert partial in page_html(page, thread)


def test_what_a_user_wrote_is_text_with_its_line_breaks(
    page: Client, conversation: AConversation
) -> None:
    conversation.turn("**not bold**\n<script>alert(1)</script>")
    assert "**not bold**\n&lt;script&gt;" in page_html(page, conversation.url)


def test_a_long_message_is_folded_but_whole(page: Client, conversation: AConversation) -> None:
    conversation.turn("\n".join(f"line {n}" for n in range(100)))
    html = page_html(page, conversation.url)
    assert "Show all 789 characters" in html
    assert "line 99" in html


def test_text_that_utf_8_cannot_carry_does_not_break_the_page(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("\ud800 \x00", "\udc00 **b**")
    (call,) = turn.round(calls=(("t", {"a": "\ud800"}),))
    turn.end_call(call, "\ud800")
    html = page_html(page, conversation.url)
    assert "[U+D800] [U+0000]" in html
    assert "<strong>b</strong>" in html


def test_a_failed_turn_says_what_happened_and_what_to_do(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(answer="Half of", status="failed", error="The provider hung up.")
    html = page_html(page, conversation.url)
    assert "The provider hung up." in html
    assert "Half of" in html
    assert f'data-send-again="{turn.question.public_id}"' in html


def test_a_stopped_turn_says_so_and_can_be_tried_again(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="stopped")
    html = page_html(page, conversation.url)
    assert "Stopped before the answer began." in html
    assert f'data-send-again="{turn.question.public_id}"' in html


def test_the_text_of_a_question_to_try_again_is_its_owner_s_alone(
    client: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("Secret?", status="failed")
    client.force_login(a_user("someone"))
    url = reverse("chat:message_text", args=[turn.question.public_id])
    assert client.get(url).status_code == 404


def test_failed_attempts_are_told_in_their_round(page: Client, conversation: AConversation) -> None:
    conversation.turn().round("Now.", failed_attempts=("429", "503", "503"))
    html = page_html(page, conversation.url)
    assert "Attempt 1 failed: <bdi>429</bdi>" in html
    assert "Attempts 2 to 3 failed: <bdi>503</bdi>" in html


def test_what_ended_a_turn_is_told_once(page: Client, conversation: AConversation) -> None:
    turn = conversation.turn(status="failed", error="503")
    turn.round("Half", failed_attempts=("429", "503", "503"))
    last = Span.objects.filter(kind=Span.Kind.GENERATION).latest("id")
    Span.objects.filter(pk=last.pk).update(status="failed", error="503")
    html = page_html(page, conversation.url)
    assert "Attempt 1 failed: <bdi>429</bdi>" in html
    assert "Attempts 2 to 3 failed in the same way." in html


def test_the_attempt_before_a_stop_is_told(page: Client, conversation: AConversation) -> None:
    conversation.turn(status="stopped").attempt("failed", error="429")
    assert "Attempt 1 failed: <bdi>429</bdi>" in page_html(page, conversation.url)


def test_an_attempt_that_is_about_to_be_made_again_is_told_while_the_turn_is_open(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="streaming")
    turn.attempt("failed", error="It has a problem.")
    assert "Attempt 1 failed: <bdi>It has a problem.</bdi>" in page_html(page, conversation.url)


@pytest.mark.parametrize(
    ("noted", "text", "sentence"),
    [
        ({"finish_reason": "length"}, "Half of", "cut off at its length limit"),
        (
            {"finish_reason": "content_filter"},
            "Half of",
            "cut off by the provider&#x27;s content filter",
        ),
        ({"finish_reason": "stop"}, "", "returned an empty answer"),
        ({"errors": ["It is malformed."]}, "{", "It is malformed."),
    ],
)
def test_what_is_missing_in_an_answer_is_said_under_it(
    page: Client, conversation: AConversation, noted: dict[str, Any], text: str, sentence: str
) -> None:
    conversation.turn().round(text)
    Span.objects.filter(kind=Span.Kind.GENERATION).update(attributes=noted)
    assert sentence in page_html(page, conversation.url)


def test_reasoning_is_folded(page: Client, conversation: AConversation) -> None:
    conversation.turn().round("So.", reasoning_content="Let me <think>.")
    html = page_html(page, conversation.url)
    assert "Let me &lt;think&gt;." in html
    assert not re.search(r'<details class="reasoning"[^>]* open', html)


def test_a_round_without_spans_is_shown_from_its_messages(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn()
    (call,) = turn.round("Looking.", calls=(("sqlite-list_tables", {}),))
    turn.end_call(call, "[{'name': 'log'}]")
    turn.trace.spans.all().delete()
    html = page_html(page, conversation.url)
    assert "1 row" not in html
    assert "log" in html
