"""A subagent's conversation: seen at its call, and nowhere else."""

import uuid
from http import HTTPStatus

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.commands.fork import OF_A_SUBAGENT, fork
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.models import Conversation
from chat.tests.builders import AConversation, ATurn, a_model, a_user
from tracing.models import Archive, Span, Trace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def parent(owner: User) -> AConversation:
    return AConversation(owner, "The parent")


@pytest.fixture
def call(parent: AConversation) -> Span:
    (call,) = parent.turn().round(calls=(("task", {"prompt": "Count the needles"}),))
    return call


@pytest.fixture
def nested(owner: User, call: Span) -> AConversation:
    made = AConversation(owner, "Haystack", parent_call=call)
    Archive.objects.filter(pk=made.archive.pk).update(parent=call.trace.archive)
    return made


@pytest.fixture
def turn(nested: AConversation) -> ATurn:
    return nested.turn("Count the needles", answer="There are seven.")


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def test_its_address_leads_to_the_call(
    page: Client, parent: AConversation, nested: AConversation, call: Span
) -> None:
    response = page.get(nested.url)
    turn = call.trace.turn.public_id
    assert response["Location"] == f"{parent.url}?at={turn}#call-{call.public_id}"


def test_another_user_s_leads_nowhere(client: Client, nested: AConversation) -> None:
    client.force_login(a_user("outsider"))
    assert client.get(nested.url).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("get", "thread"),
        ("post", "rename"),
        ("post", "delete"),
        ("get", "conversation_tools"),
        ("post", "conversation_tools"),
    ],
)
def test_nothing_can_be_done_to_it(
    page: Client, nested: AConversation, method: str, name: str
) -> None:
    url = reverse(f"chat:{name}", args=[nested.row.public_id])
    response = getattr(page, method)(url, {"title": "Another"})
    assert response.status_code == HTTPStatus.NOT_FOUND
    nested.row.refresh_from_db()
    assert nested.row.title == "Haystack"


def test_its_turn_and_its_messages_can_be_read(page: Client, turn: ATurn) -> None:
    shown = page.get(reverse("chat:turn", args=[turn.row.public_id])).content.decode()
    text = page.get(reverse("chat:message_text", args=[turn.question.public_id]))
    assert "There are seven." in shown
    assert text.content.decode() == "Count the needles"


def test_no_list_and_no_search_finds_it(page: Client, parent: AConversation, turn: ATurn) -> None:
    url = reverse("chat:conversations")
    assert "The parent" in page.get(url).content.decode()
    for query in ("Haystack", "seven"):
        assert "No results" in page.get(url, {"q": query}).content.decode()


def test_a_message_to_it_is_refused(owner: User, nested: AConversation) -> None:
    a_model()
    with pytest.raises(Rejected, match="belongs to a subagent"):
        send_message(owner, NewMessage(key="k", text="Hi", conversation_id=nested.row.public_id))


def test_a_message_to_another_user_s_says_no_more_than_to_none(nested: AConversation) -> None:
    a_model()
    outsider = a_user("outsider")
    for wanted in (nested.row.public_id, uuid.uuid4()):
        with pytest.raises(Rejected, match="This conversation does not exist"):
            send_message(outsider, NewMessage(key="k", text="Hi", conversation_id=wanted))


def test_it_is_not_forked(owner: User, turn: ATurn) -> None:
    with pytest.raises(Rejected, match=OF_A_SUBAGENT[:20]):
        fork(owner, turn.trace, 1)
    assert Conversation.objects.count() == 2


def test_it_goes_with_its_parent(page: Client, parent: AConversation, turn: ATurn) -> None:
    page.post(reverse("chat:delete", args=[parent.row.public_id]))
    assert not Conversation.objects.exists()
    assert not Trace.objects.exists()
    assert not Archive.objects.exists()
