"""Conversations of many turns, and turns of many rounds."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.tests.builders import AConversation
from chat.tests.views.pages import page_html, turn_with_calls

pytestmark = pytest.mark.django_db


def test_a_page_of_turns_costs_the_same_number_of_queries(
    page: Client, conversation: AConversation, django_assert_num_queries: Any
) -> None:
    url = reverse("chat:thread", args=[conversation.row.public_id])
    turn_with_calls(conversation, "succeeded")
    with django_assert_num_queries(6):
        page.get(url)
    for _ in range(10):
        turn_with_calls(conversation, "succeeded", "failed")
    with django_assert_num_queries(6):
        page.get(url)


def test_a_long_conversation_comes_in_pages(page: Client, conversation: AConversation) -> None:
    for number in range(35):
        conversation.turn(f"question {number}.")
    html = page_html(page, conversation.url)
    assert "question 5." in html
    assert "question 4." not in html
    earlier = re.search(r'data-earlier="([^"]+)"', html)
    assert earlier is not None
    before = page_html(page, earlier[1])
    assert "question 4." in before
    assert "question 5." not in before
    assert "data-earlier" not in before


def test_a_turn_of_many_rounds_shows_the_last_ones(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn()
    for number in range(35):
        turn.round(f"round {number}.")
    html = page_html(page, conversation.url)
    assert "5 earlier rounds" in html
    assert "round 4." not in html
    assert "round 34." in html
