"""What the page shows of subagents before any event has come: cards, figures, the sidebar."""

from datetime import UTC
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Turn
from chat.presentation.sidebar import sidebar
from chat.tests.builders import AConversation, ATurn, a_user
from tracing.models import Archive, Span

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def turn(owner: User) -> ATurn:
    return AConversation(owner, "The parent").turn(status="waiting")


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def delegated(turn: ATurn, *prompts: str) -> list[Span]:
    """A round of `task` calls whose subagents are working."""
    asked = tuple(("task", {"prompt": prompt, "description": f"D {prompt}"}) for prompt in prompts)
    calls = turn.round(calls=asked)
    Span.objects.filter(pk__in=[call.pk for call in calls]).update(status="waiting")
    return calls


def at_work(call: Span, status: str = "streaming", **fields: Any) -> ATurn:
    owner = call.trace.archive.owner
    nested = AConversation(owner, "Needles", parent_call=call)
    Archive.objects.filter(pk=nested.archive.pk).update(parent=call.trace.archive)
    call.attributes["subagent"] = str(nested.row.public_id)
    Span.objects.filter(pk=call.pk).update(attributes=call.attributes)
    return nested.turn("Count the needles", status=status, **fields)


def html_of(page: Client, turn: ATurn) -> str:
    return page.get(reverse("chat:turn", args=[turn.row.public_id])).content.decode()


def asks(turn: ATurn) -> None:
    """A call of it waits for approval."""
    (call,) = turn.round(calls=(("new-write", {}),))
    Span.objects.filter(pk=call.pk).update(status="awaiting_approval")


def waits(turn: ATurn) -> bool:
    (group,) = sidebar(turn.conversation.owner, UTC).groups
    return bool(vars(group.rows[0].conversation)["waits"])  # annotated


def test_a_card_says_how_far_the_subagent_is(page: Client, turn: ATurn) -> None:
    (call,) = delegated(turn, "count")
    inner = at_work(call, rounds=3, tokens_in=1000, tokens_out=234)
    inner.round(calls=(("read_file", {}),))
    html = html_of(page, turn)
    assert "round 3 · read_file · 1,234 tokens" in html
    assert "waits for you" not in html
    assert f'data-subagent-turn="{inner.row.public_id}"' in html


def test_a_card_waits_for_the_person_if_the_subagent_does(page: Client, turn: ATurn) -> None:
    (call,) = delegated(turn, "count")
    asks(at_work(call))
    assert "waits for you" in html_of(page, turn)


def test_a_card_is_named_by_its_description(page: Client, turn: ATurn) -> None:
    (call,) = delegated(turn, "count")
    at_work(call)
    assert "D count</bdi>" in html_of(page, turn)


def test_the_text_of_a_subagent_is_shown_once(page: Client, turn: ATurn) -> None:
    (call,) = delegated(turn, "count")
    at_work(call, status="done")
    turn.end_call(call, "There are seven.")
    assert "<h3>Result</h3>" not in html_of(page, turn)


def test_figures_are_those_of_the_tree(page: Client, turn: ATurn) -> None:
    for call in delegated(turn, "one", "two", "three"):
        at_work(call, status="done", rounds=2, tokens_in=100, tokens_out=10)
        turn.end_call(call, "Done.")
    Turn.objects.filter(pk=turn.row.pk).update(status="done", rounds=2, tokens_in=50, tokens_out=5)
    html = html_of(page, turn)
    assert "2 rounds" in html
    assert "3 subagents (6 rounds)" in html
    assert "350 → 35 tokens" in html


def test_many_subagents_cost_no_more_queries(
    page: Client, turn: ATurn, django_assert_num_queries: Any
) -> None:
    for call in delegated(turn, "one", "two", "three"):
        at_work(call).round(calls=(("read_file", {}),))
    with django_assert_num_queries(8):
        html_of(page, turn)


def test_its_own_page_offers_nothing_to_try_again(page: Client, turn: ATurn) -> None:
    (call,) = delegated(turn, "count")
    html = html_of(page, at_work(call, status="failed", error="It broke."))
    assert "It broke." in html
    assert "data-send-again" not in html
    assert "Count the needles" not in html


def test_the_sidebar_waits_with_the_subagent_and_not_for_it(turn: ATurn) -> None:
    (call,) = delegated(turn, "count")
    inner = at_work(call)
    assert not waits(turn)
    asks(inner)
    assert waits(turn)
