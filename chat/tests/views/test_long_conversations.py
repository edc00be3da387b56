"""Conversations of many turns, and turns of many rounds."""

import gzip
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.chat_page.filling import conversation_of, list_of
from chat.models import Preset, Turn
from chat.tests.builders import AConversation, a_model
from chat.tests.views.pages import page_html, turn_with_calls
from limits.chat import MAX_ROWS_A_PAGE

pytestmark = [pytest.mark.django_db, pytest.mark.long]


def test_opening_a_conversation_costs_six_queries_however_long_it_is(
    page: Client, conversation: AConversation, django_assert_num_queries: Any
) -> None:
    """Session, user, conversation with the sidebar, models, turns, messages with spans."""
    turn_with_calls(conversation, "succeeded")
    with django_assert_num_queries(6):
        page.get(conversation.url)
    for _ in range(15):
        turn_with_calls(conversation, "succeeded", "failed")
    with django_assert_num_queries(6):
        page.get(conversation.url)


def test_a_page_of_turns_costs_the_same_number_of_queries(
    page: Client, conversation: AConversation, django_assert_num_queries: Any
) -> None:
    url = reverse("chat:thread", args=[conversation.row.public_id])
    turn_with_calls(conversation, "succeeded")
    with django_assert_num_queries(5):
        page.get(url)
    for _ in range(15):
        turn_with_calls(conversation, "succeeded", "failed")
    with django_assert_num_queries(5):
        page.get(url)
    last = Turn.objects.latest("id").public_id
    with django_assert_num_queries(6):
        page.get(f"{url}?before={last}&from=end")


def test_a_conversation_of_many_messages_opens_with_at_most_40_000_bytes_and_2_500_elements(
    page: Client, owner: User
) -> None:
    conversation = conversation_of(owner, 1_000)
    html = page_html(page, conversation.get_absolute_url())
    assert len(gzip.compress(html.encode(), 5)) < 40_000
    assert len(re.findall(r"<[a-z]", html)) < 2_500


def test_the_sidebar_of_many_conversations_costs_as_much_as_that_of_a_page(
    page: Client, owner: User, django_assert_num_queries: Any
) -> None:
    sizes = []
    for count in (2 * MAX_ROWS_A_PAGE, 1_000):
        list_of(owner, count)
        page.get(reverse("chat:conversations"))
        with django_assert_num_queries(3):
            html = page_html(page, reverse("chat:conversations"))
        assert html.count("data-conversation-link") <= MAX_ROWS_A_PAGE
        sizes.append(len(gzip.compress(html.encode(), 5)))
    assert sizes[1] < 1.2 * sizes[0] < 8_000


def questions(html: str) -> list[int]:
    return [int(number) for number in re.findall(r">question (\d+)\.<", html)]


@pytest.fixture
def turns(conversation: AConversation) -> list[str]:
    """The public ids of 100 turns."""
    rows = [conversation.turn("question 0.").row]
    for number in range(1, 100):
        rows.append(conversation.turn(f"question {number}.", parent=rows[-1]).row)
    return [str(row.public_id) for row in rows]


def test_a_long_conversation_opens_with_its_last_turns(
    page: Client, conversation: AConversation, turns: list[str]
) -> None:
    html = page_html(page, conversation.url)
    assert questions(html) == list(range(90, 100))
    assert f'href="{conversation.url}?before={turns[90]}"' in html


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("before={90}", [*range(60, 100)]),
        ("before={60}", [*range(30, 60), *range(90, 100)]),
        ("after={29}", [*range(30, 60), *range(90, 100)]),
        ("at={44}", [*range(30, 60), *range(90, 100)]),
        ("at={0}", [*range(16), *range(90, 100)]),
        ("at={95}", [*range(90, 100)]),
        ("before={0}", [*range(90, 100)]),
        ("before=nonsense&at=00000000-0000-4000-8000-000000000000", [*range(90, 100)]),
    ],
)
def test_an_address_opens_at_a_place_besides_the_last_turns(
    page: Client, conversation: AConversation, turns: list[str], query: str, shown: list[int]
) -> None:
    html = page_html(page, f"{conversation.url}?{query.format(*turns)}")
    assert questions(html) == shown
    has_hole = shown[-11:][0] != 89 and len(shown) > 10
    assert ("Messages in between" in html) is has_hole


@pytest.mark.parametrize(
    ("query", "shown", "gaps"),
    [
        ("before={90}&from=end", range(60, 90), [("", 60)]),
        ("before={20}&from=end", range(20), []),
        ("after={29}&before={90}", range(30, 60), [(59, 90)]),
        ("after={29}&before={90}&from=end", range(60, 90), [(29, 60)]),
        ("after={29}&before={50}&from=end", range(30, 50), []),
        ("after={29}&before={90}&at={60}", range(46, 76), [(29, 46), (75, 90)]),
    ],
)
def test_a_gap_is_filled_from_either_end_or_around_a_turn(
    page: Client,
    conversation: AConversation,
    turns: list[str],
    query: str,
    shown: range,
    gaps: list[tuple[Any, int]],
) -> None:
    url = reverse("chat:thread", args=[conversation.row.public_id])
    html = page_html(page, f"{url}?{query.format(*turns)}")
    assert questions(html) == list(shown)
    named = [(turns[after] if after != "" else "", turns[before]) for after, before in gaps]
    assert re.findall(r'data-after="(.*?)" data-before="(.*?)"', html) == named


def test_a_turn_that_is_in_no_gap_is_not_found_there(
    page: Client, conversation: AConversation, turns: list[str]
) -> None:
    url = reverse("chat:thread", args=[conversation.row.public_id])
    response = page.get(f"{url}?before={turns[50]}&at={turns[70]}")
    assert response.status_code == 404


def test_a_turn_of_another_conversation_is_no_place(
    page: Client, conversation: AConversation, turns: list[str], owner: User
) -> None:
    other = AConversation(owner).turn("elsewhere").row.public_id
    html = page_html(page, f"{conversation.url}?at={other}")
    assert questions(html) == list(range(90, 100))


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


def test_an_assistant_of_its_own_costs_no_query(
    page: Client, owner: User, django_assert_num_queries: Any
) -> None:
    preset = Preset.objects.create(name="Zoologist", owner=owner)
    conversation = AConversation(owner, preset=preset, model=a_model())
    turn_with_calls(conversation, "succeeded")
    with django_assert_num_queries(6):
        assert "Zoologist" in page_html(page, conversation.url)


def test_attempts_without_a_message_are_shown(page: Client, conversation: AConversation) -> None:
    turn_with_calls(conversation, "succeeded")
    conversation.turn().round("It is back.", failed_attempts=("The provider is away.",))
    assert "The provider is away." in page_html(page, conversation.url)


@pytest.mark.parametrize("fields", [{"archived": timezone.now()}, {"is_temporary": True}])
def test_what_the_list_does_not_have_opens_all_the_same(
    page: Client, owner: User, fields: dict[str, Any]
) -> None:
    AConversation(owner, "listed")
    conversation = AConversation(owner, "open", **fields)
    html = page_html(page, conversation.url)
    assert re.findall(r"<bdi>(.*?)</bdi>", html) == ["listed"]


def test_an_old_conversation_is_not_put_among_the_latest(page: Client, owner: User) -> None:
    old = AConversation(owner, "old", updated=timezone.now() - timedelta(days=9))
    for number in range(MAX_ROWS_A_PAGE + 2):
        AConversation(owner, f"new {number}")
    html = page_html(page, old.url)
    assert html.count("data-conversation-link") == MAX_ROWS_A_PAGE
    assert "<bdi>old</bdi>" not in html
