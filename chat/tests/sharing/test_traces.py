"""The traces below a link: four stages, masked, without what is hidden or not shared."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Message, SharedLink
from chat.tests.builders import AConversation, ATurn
from chat.tests.sharing.conftest import PLANTED, share
from tracing.models import Span
from tracing.store import payloads

pytestmark = pytest.mark.django_db
SECOND = "What do they eat?"


@pytest.fixture(autouse=True)
def everybody(settings: Any) -> None:
    settings.SHARED_LINKS = "everybody"


def record(turn: ATurn, number: int, messages: list[dict[str, Any]], text: str) -> None:
    """The four stages of a round; its response has the text in two events."""
    span = Span.objects.get(
        trace=turn.trace, kind="generation", parent__number=number, status="succeeded"
    )
    half = len(text) // 2
    events = [{"choices": [{"delta": {"content": one}}]} for one in (text[:half], text[half:])]
    body = "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"
    stages = {
        "input": json.dumps({"messages": messages, "tools": [], "parameters": {"top_p": 0.5}}),
        "request": json.dumps({"model": "m", "messages": messages, "password": "hunter2!x"}),
        "response": body,
        "output": json.dumps({"message": {"role": "assistant", "content": text}}),
    }
    payloads.store_all(
        turn.trace.archive, [(span, name, one.encode(), {}) for name, one in stages.items()]
    )


@pytest.fixture
def conversation(owner: User) -> AConversation:
    """Two turns; each request has what was said before it, and a key."""
    conversation = AConversation(owner)
    said = []
    for question, answer in (("What is a quokka?", f"A marsupial {PLANTED}"), (SECOND, "Leaves")):
        turn = conversation.turn(question, answer)
        said.append({"role": "user", "content": f"{question} {PLANTED}"})
        record(turn, 1, said, answer)
        said.append({"role": "assistant", "content": answer})
    return conversation


def trace(client: Client, link: SharedLink, number: int) -> str:
    response = client.get(reverse("shared:trace", args=[link.token, number]))
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("is_snapshot", [True, False])
def test_all_stages_are_there_without_secrets(
    stranger: Client, conversation: AConversation, is_snapshot: bool
) -> None:
    html = trace(stranger, share(conversation.row, is_snapshot=is_snapshot), 1)
    assert html.count("A marsupial [redacted") == 2  # response and output
    assert html.count("What is a quokka?") == 2  # input and request
    assert "top_p" in html
    for secret in (PLANTED, PLANTED[8:], PLANTED[: len(PLANTED) // 2], "hunter2"):
        assert secret not in html


def test_without_traces_there_are_none(stranger: Client, conversation: AConversation) -> None:
    link = share(conversation.row, parts=frozenset({"with_results"}))
    assert stranger.get(reverse("shared:trace", args=[link.token, 1])).status_code == 404
    assert "/trace/" not in stranger.get(link.path).content.decode()


def test_a_turn_that_there_is_not_has_none(stranger: Client, conversation: AConversation) -> None:
    for is_snapshot in (True, False):
        link = share(conversation.row, is_snapshot=is_snapshot)
        for number in (0, 3, 99_999):
            url = reverse("shared:trace", args=[link.token, number])
            assert stranger.get(url).status_code == 404


@pytest.mark.parametrize("is_snapshot", [True, False])
def test_requests_that_have_what_is_hidden_are_withheld(
    stranger: Client, conversation: AConversation, is_snapshot: bool
) -> None:
    answer = Message.objects.filter(role="assistant").earliest("pk")
    hidden = frozenset({str(answer.public_id)})
    link = share(conversation.row, is_snapshot=is_snapshot, hidden=hidden)
    first, second = trace(stranger, link, 1), trace(stranger, link, 2)
    assert "What is a quokka?" in first and "A marsupial" not in first
    assert "A marsupial" not in second and second.count("has hidden") == 2
    assert "Leaves" in second


def test_a_hidden_note_is_not_in_the_request_of_a_round_that_failed(
    stranger: Client, owner: User
) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn("What is a quokka?", status="failed")
    body = {"role": "user", "content": "Bob keeps one."}
    note = Message.objects.create(
        conversation=conversation.row, turn=turn.row, role="user", body=body
    )
    turn.attempt("failed", "Refused.")
    span = Span.objects.get(trace=turn.trace, kind="generation")
    payloads.store(span, "request", json.dumps({"messages": [body]}).encode())
    hidden = frozenset({str(note.public_id)})
    html = trace(stranger, share(conversation.row, is_snapshot=False, hidden=hidden), 1)
    assert "Refused." in html and "Bob" not in html and "has hidden" in html


def test_one_answer_does_not_show_what_came_before(
    stranger: Client, conversation: AConversation
) -> None:
    turn = conversation.row.turns.get(question__body__contains=SECOND)
    html = trace(stranger, share(conversation.row, is_single=True, turn=turn.public_id), 1)
    assert "quokka" not in html and html.count("earlier messages that are not shared") == 2
    assert "Leaves" in html


def test_what_cannot_be_read_as_messages_is_not_shown(
    stranger: Client, conversation: AConversation
) -> None:
    turn = conversation.row.turns.earliest("pk")
    span = Span.objects.get(trace=turn.trace, kind="generation")
    payloads.store(span, "request", b"\xff\x00 raw bytes")
    payloads.store(span, "response", b"raw bytes")
    html = trace(stranger, share(conversation.row), 1)
    assert "raw bytes" not in html and html.count("cannot be read as messages") == 2


def test_traces_that_are_removed_say_so(stranger: Client, conversation: AConversation) -> None:
    Span.objects.filter(kind="round").delete()
    html = trace(stranger, share(conversation.row, is_snapshot=False), 1)
    assert "no longer kept" in html
