"""Cards of tool calls."""

import re

import pytest
from django.test import Client

from chat.tests.builders import AConversation
from chat.tests.views.pages import page_html, turn_with_calls
from tracing.store import payloads

pytestmark = pytest.mark.django_db


def test_a_card_has_state_name_argument_result_and_duration(
    page: Client, conversation: AConversation
) -> None:
    turn_with_calls(conversation, "succeeded")
    card = page_html(page, conversation.url).partition('<details class="call">')[2]
    text = " ".join(re.sub(r"<[^>]+>", " ", card.partition("</summary>")[0]).split())
    assert text == "done sqlite · read_query SELECT 0 1 21 ms"


def test_calls_that_overlap_are_called_parallel(page: Client, conversation: AConversation) -> None:
    turn_with_calls(conversation, "succeeded", "succeeded", "succeeded")
    assert "3 calls in parallel · 23 ms" in page_html(page, conversation.url)


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("failed", "failed"),
        ("denied", "denied"),
        ("cancelled", "cancelled"),
        ("outcome_unknown", "outcome unknown"),
    ],
)
def test_a_call_that_did_not_succeed_says_so_in_words(
    page: Client, conversation: AConversation, status: str, word: str
) -> None:
    turn_with_calls(conversation, status)
    assert f"data-call-word>{word}</span>" in page_html(page, conversation.url)


def test_a_result_is_shown_before_the_model_is_told_it(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="waiting")
    call, _ = turn.round(calls=(("sqlite-list_tables", {}), ("sqlite-list_tables", {})))
    turn.end_call(call, "unused")
    call.messages.all().delete()
    payloads.store(call, "shown", b"[{'name': 'students'}]")
    assert "students" in page_html(page, conversation.url)


def test_a_call_that_waits_for_a_person_can_be_decided(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="waiting")
    (call,) = turn.round(calls=(("sqlite-write_query", {"query": "DELETE"}),))
    call.status = "awaiting_approval"
    call.save()
    html = page_html(page, conversation.url)
    card = html.partition(f'data-call="{call.public_id}"')[2].partition("</section>")[0]
    assert "Allow once" in card
    assert "Deny" in card


def test_hostile_tool_names_arguments_and_results_are_text(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn()
    evil = "<img src=x onerror=alert(1)>"
    (call,) = turn.round(calls=((evil, {evil: evil}),))
    turn.end_call(call, f'[{{"{evil}": "{evil}"}}]')
    assert evil not in page_html(page, conversation.url)
