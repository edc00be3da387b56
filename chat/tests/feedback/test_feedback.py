import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from chat.models import Feedback
from chat.tests.builders import AConversation, ATurn, a_user
from chat.transfer import shown_branch, training
from tracing.export import trace_json
from tracing.models import Action, Facet

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> User:
    owner = a_user()
    client.force_login(owner)
    return owner


@pytest.fixture
def turn(owner: User) -> ATurn:
    return AConversation(owner).turn("How many?", "Three.")


def rate(client: Client, turn: ATurn, **values: str) -> HttpResponse:
    url = reverse("chat:feedback", args=[turn.row.public_id])
    return client.post(url, values)  # type: ignore[return-value]  # of the test client


def test_a_thumb_is_kept_changed_and_taken_back(client: Client, turn: ATurn) -> None:
    rate(client, turn, rating="up")
    rate(client, turn, rating="down", note=" 不对 ")
    row = Feedback.objects.get()
    assert (row.rating, row.note) == ("down", "不对")
    rate(client, turn, rating="")
    assert not Feedback.objects.exists()
    assert not Action.objects.exists()
    assert not Facet.objects.exists()


def test_the_thread_shows_it(client: Client, turn: ATurn) -> None:
    rate(client, turn, rating="up", note="Good")
    page = client.get(turn.conversation.get_absolute_url()).content.decode()
    assert 'data-rating="up"' in page
    assert '<q dir="auto">Good</q>' in page


def test_the_list_of_traces_is_filtered_by_it(client: Client, owner: User, turn: ATurn) -> None:
    AConversation(owner).turn("Another?", "Yes.")
    rate(client, turn, rating="down")
    listed = client.get(reverse("tracing:list"), {"feedback": "down"}).content.decode()
    assert "How many?" in listed
    assert "Another?" not in listed


def test_the_head_of_the_trace_shows_it(client: Client, turn: ATurn) -> None:
    rate(client, turn, rating="down", note="Wrong")
    page = client.get(turn.trace.get_absolute_url()).content.decode()
    assert "Bad answer" in page
    assert "Wrong" in page


def test_the_trace_is_exported_with_it(client: Client, turn: ATurn) -> None:
    rate(client, turn, rating="up", note="Good")
    document: dict[str, Any] = json.loads("".join(trace_json.document(turn.trace, [])))
    assert document["feedback"] == {"rating": "up", "note": "Good"}


def test_an_answer_that_still_runs_is_not_rated(client: Client, owner: User) -> None:
    running = AConversation(owner).turn("How many?", "Three.", status="streaming")
    reply = rate(client, running, rating="up")
    assert reply.status_code == 409
    assert json.loads(reply.content)["error"].startswith("The answer is not complete yet.")


def test_a_note_above_the_limit_is_refused_with_a_sentence(client: Client, turn: ATurn) -> None:
    reply = rate(client, turn, rating="up", note="x" * 2_001)
    assert "2,001 characters; the limit is 2,000" in json.loads(reply.content)["error"]


def test_an_answer_of_somebody_else_is_not_there(client: Client, turn: ATurn) -> None:
    client.force_login(a_user("other"))
    assert rate(client, turn, rating="up").status_code == 404


def test_training_takes_only_answers_with_a_thumb_up(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    turns = [conversation.turn(f"Q{n}?", f"A{n}.") for n in range(3)]
    for one, before in zip(turns[1:], turns, strict=False):
        one.row.parent = before.row
        one.row.save()
    rate(client, turns[1], rating="up")
    line = training.openai_line(shown_branch.read(conversation.row), only_liked=True)
    messages = json.loads(line)["messages"]
    assert [one["content"] for one in messages] == ["Q0?", "A0.", "Q1?", "A1."]
    assert [one.get("weight") for one in messages] == [None, 0, None, 1]
