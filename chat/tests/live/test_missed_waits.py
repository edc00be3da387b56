"""Calls and questions that wait for a person, of which no event told."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat import events
from chat.models import Question, Turn
from chat.tests.live.tabs import Model, Open, Tab, sent
from chat.tests.live.test_missed_endings import look, told
from tracing.models import Span

AGO = timedelta(seconds=10)


@pytest.fixture
def tab(opened: Open, owner: User) -> Tab:
    return opened(owner)


@pytest.fixture
def call(tab: Tab, model: Model) -> Span:
    """A call that waits for approval; its turn's socket has heard of nothing but the turn."""
    turn = sent(tab, model("stub-n5"))
    tab.next(lambda frame: frame["type"] == "turn")
    Turn.objects.filter(pk=turn.pk).update(status="waiting")
    assert turn.trace is not None
    return Span.objects.create(
        trace=turn.trace,
        kind=Span.Kind.TOOL,
        name="once-write",
        status=Span.Status.AWAITING_APPROVAL,
        created=timezone.now() - AGO,
    )


def snapshot(tab: Tab) -> dict[str, list[dict[str, object]]]:
    frame = tab.next(lambda frame: frame["type"] == "snapshot")
    return dict(frame["turns"][0])


def test_an_approval_that_was_not_told_is_shown(tab: Tab, call: Span) -> None:
    look()
    (shown,) = snapshot(tab)["calls"]
    assert (shown["call"], shown["state"]) == (str(call.public_id), "awaiting_approval")


def test_a_question_that_was_not_told_is_shown(tab: Tab, call: Span) -> None:
    Span.objects.filter(pk=call.pk).update(status=Span.Status.WAITING)
    question = Question.objects.create(span=call, kind="form", asked=timezone.now() - AGO)
    look()
    (shown,) = snapshot(tab)["questions"]
    assert shown["question"] == str(question.public_id)


def test_what_waits_is_shown_once(tab: Tab, call: Span) -> None:
    look()
    snapshot(tab)
    look(4)
    tab.tell(type="ping")
    assert tab.next()["type"] == "pong"


def test_an_approval_that_was_told_is_not_shown_again(tab: Tab, call: Span) -> None:
    turn = Turn.objects.select_related("conversation").get(trace=call.trace)
    events.emit(turn.conversation.public_id, events.call_event(turn, 1, call, "{}"))
    tab.next(lambda frame: frame["type"] == "call")
    look(3)
    tab.tell(type="ping")
    assert tab.next()["type"] == "pong"
    assert told(turn.conversation.public_id)[-1]["type"] == "call"


def test_what_waits_since_a_moment_is_left_to_its_own_process(tab: Tab, call: Span) -> None:
    Span.objects.filter(pk=call.pk).update(created=timezone.now())
    look(3)
    tab.tell(type="ping")
    assert tab.next()["type"] == "pong"
