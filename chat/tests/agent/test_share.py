"""How full the window is, on the page and in what a page that comes back is told."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.agent import share
from chat.live.snapshot import snapshot
from chat.models import Compaction
from chat.tests.builders import AConversation, a_model, a_user
from tracing.models import Span

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def conversation(owner: User) -> AConversation:
    return AConversation(owner, model=a_model(context_window=10_000))


def answered(conversation: AConversation, tokens: int) -> Span:
    """A turn whose only generation had so many tokens."""
    conversation.turn(answer="Yes.")
    span = Span.objects.filter(kind=Span.Kind.GENERATION).latest("id")
    span.attributes = {"usage": {"prompt_tokens": tokens - 10, "completion_tokens": 10}}
    span.save()
    return span


def summarised(conversation: AConversation, **noted: object) -> Span:
    """A turn that wrote a summary."""
    turn = conversation.turn(answer="Yes.")
    return Span.objects.create(
        trace=turn.trace,
        parent=turn.root,
        kind=Span.Kind.COMPACTION,
        name="manual",
        status="succeeded",
        attributes={"layer": "manual", "messages": 34, "tokens_before": 21_300, **noted},
    )


def test_nothing_is_known_before_the_first_answer(conversation: AConversation) -> None:
    assert share.of_conversation(conversation.row) is None


def test_the_latest_answers_usage_counts(conversation: AConversation) -> None:
    answered(conversation, 500)
    answered(conversation, 1_200)
    known = share.of_conversation(conversation.row)
    assert known is not None
    assert (known.percent, known.warns, known.is_estimated) == (12, False, False)


def test_it_warns_above_the_threshold(conversation: AConversation) -> None:
    answered(conversation, 8_100)
    known = share.of_conversation(conversation.row)
    assert known is not None
    assert known.warns


def test_after_a_summary_it_falls(conversation: AConversation) -> None:
    answered(conversation, 8_100)
    summarised(conversation, tokens_after=1_900)
    known = share.of_conversation(conversation.row)
    assert known is not None
    assert (known.percent, known.is_estimated) == (19, True)


def test_the_page_and_a_snapshot_tell_it(
    client: Client, owner: User, conversation: AConversation, redis_server: object
) -> None:
    answered(conversation, 1_200)
    client.force_login(owner)
    page = client.get(conversation.url).content.decode()
    assert "1,200 of 10,000 tokens, as the provider counted the latest answer." in " ".join(
        page.split()
    )
    told = snapshot(conversation.row)[0]["context"]
    assert told == {"tokens": 1_200, "window": 10_000, "threshold": 0.8, "estimated": False}


def test_the_thread_marks_where_something_was_left_out(
    client: Client, owner: User, conversation: AConversation
) -> None:
    span = summarised(conversation, tokens_after=1_900, reason="You asked for it.")
    upto = conversation.row.messages.latest("id")
    Compaction.objects.create(
        conversation=conversation.row, span=span, kind="summary", upto=upto, summary="<b>三 tables"
    )
    client.force_login(owner)
    page = client.get(conversation.url).content.decode()
    assert "Summarised: 34 messages, 21,300 → 1,900 tokens" in page
    assert "&lt;b&gt;三 tables" in page


def test_shortened_results_are_named_with_their_sizes(
    client: Client, owner: User, conversation: AConversation
) -> None:
    replaced = [{"tool": "odd-echo", "characters": 12_000}] * 2
    span = summarised(conversation, results=2, replaced=replaced, tokens_after=4_000)
    Span.objects.filter(pk=span.pk).update(name="micro")
    client.force_login(owner)
    page = client.get(conversation.url).content.decode()
    assert "2 older results shortened, 21,300 → 4,000 tokens" in page
    assert page.count("12,000 characters") == 2


def test_a_summary_that_failed_is_told_with_its_reason(
    client: Client, owner: User, conversation: AConversation
) -> None:
    span = summarised(conversation)
    Span.objects.filter(pk=span.pk).update(status="failed", error="The model wrote no summary.")
    client.force_login(owner)
    page = client.get(conversation.url).content.decode()
    assert "Older messages could not be summarised" in page
    assert "The model wrote no summary." in page
