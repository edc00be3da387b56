"""What an answer and its conversation have taken."""

from decimal import Decimal

import pytest
from django.test import Client

from chat.models import Turn
from chat.tests.builders import AConversation, a_user
from tracing.models import Archive, Span, Trace

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation() -> AConversation:
    conversation = AConversation(a_user(), "Costs")
    for question in ("One", "Two"):
        turn = conversation.turn(question)
        turn.round("An answer.")
        Turn.objects.filter(pk=turn.row.pk).update(tokens_in=1_000, tokens_out=50)
        Trace.objects.filter(pk=turn.trace.pk).update(cost=Decimal("0.0015"))
    return conversation


def test_a_conversation_has_the_sums_of_its_answers(
    client: Client, conversation: AConversation
) -> None:
    client.force_login(conversation.row.owner)
    html = client.get(f"{conversation.url}figures").content.decode()
    for figure in ("2 answers", "2,000 → 100 tokens", "2.5 s", "$0.0030"):
        assert figure in html


def test_a_subagent_is_counted_with_the_answer_that_began_it(
    client: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("Three")
    (call,) = turn.round(calls=(("task", {"prompt": "x"}),))
    nested = AConversation(conversation.row.owner, "Nested", parent_call=call)
    Archive.objects.filter(pk=nested.archive.pk).update(parent=conversation.archive)
    nested.turn("x", tokens_in=500, tokens_out=5)
    client.force_login(conversation.row.owner)
    html = client.get(f"{conversation.url}figures").content.decode()
    for figure in ("3 answers", "2,500 → 105 tokens", "3.7 s"):
        assert figure in html


def test_a_message_that_waits_is_no_answer(client: Client, conversation: AConversation) -> None:
    conversation.turn("Three", status="queued", wakeups=0)
    client.force_login(conversation.row.owner)
    assert "2 answers" in client.get(f"{conversation.url}figures").content.decode()


def test_a_conversation_without_prices_has_no_cost(
    client: Client, conversation: AConversation
) -> None:
    Trace.objects.update(cost=None)
    client.force_login(conversation.row.owner)
    assert "$" not in client.get(f"{conversation.url}figures").content.decode()


def test_an_answer_has_its_speed_and_its_cost(client: Client, conversation: AConversation) -> None:
    attributes = {
        "usage": {"prompt_tokens": 1_000, "completion_tokens": 50},
        "timings": {"stream_ms": 500},
        "prices": {"in": "1", "out": "10"},
    }
    Span.objects.filter(kind=Span.Kind.GENERATION).update(attributes=attributes)
    client.force_login(conversation.row.owner)
    html = client.get(conversation.url).content.decode()
    assert html.count("100 tokens/s") == 2
    assert html.count("$0.0015") == 2


def test_an_answer_has_the_sources_of_its_searches(
    client: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("Three")
    (call,) = turn.round("", calls=(("web_search", {"query": "x"}),))
    turn.end_call(call, "1. <b>Title</b>\n   https://e.example/?a=1&b=2\n   words")
    turn.round("Found.")
    client.force_login(conversation.row.owner)
    html = client.get(conversation.url).content.decode()
    assert "1 source\n" in html or "1 source<" in html
    assert '<a href="https://e.example/?a=1&amp;b=2" target="_blank" rel="noopener' in html
    assert "&lt;b&gt;Title&lt;/b&gt;" in html
