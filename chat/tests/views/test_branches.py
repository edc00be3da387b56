"""The addresses of branches: going to one, asking who else may answer; what a trace, a fork and a
cassette say of theirs."""

import json
import uuid

import pytest
from django.test import Client

from chat.cassettes.reading import read
from chat.commands import fork as forks
from chat.models import Conversation, Message, Preset, Turn
from chat.tests.builders import AConversation, ATurn, a_model, a_user
from tracing.export import cassettes, trace_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation() -> AConversation:
    return AConversation(a_user(), model=a_model(), is_branched=True)


@pytest.fixture
def first(conversation: AConversation) -> ATurn:
    return conversation.turn("one", "1", is_shown=False)


@pytest.fixture
def second(conversation: AConversation, first: ATurn) -> ATurn:
    return conversation.turn("uno", "2", parent=None)


@pytest.fixture
def owner(client: Client, conversation: AConversation) -> Client:
    client.force_login(conversation.row.owner)
    return client


def go(client: Client, conversation: AConversation, turn: uuid.UUID | str, **more: str) -> int:
    return client.post(f"{conversation.url}branch", {"turn": str(turn)}, headers=more).status_code


def test_another_branch_is_shown(
    owner: Client, conversation: AConversation, first: ATurn, second: ATurn
) -> None:
    assert go(owner, conversation, first.row.public_id) == 302
    assert go(owner, conversation, second.row.public_id, x_requested_with="fetch") == 204
    assert Turn.objects.get(conversation=conversation.row, is_shown=True) == second.row


@pytest.mark.parametrize("turn", ["", "nonsense", str(uuid.UUID(int=1))])
def test_a_branch_that_is_none_is_refused_with_a_sentence(
    owner: Client, conversation: AConversation, second: ATurn, turn: str
) -> None:
    answer = owner.post(f"{conversation.url}branch", {"turn": turn})
    assert answer.status_code == 409
    assert "does not exist" in answer.json()["error"]


def test_a_turn_of_another_conversation_is_no_branch_of_this(
    owner: Client, conversation: AConversation, second: ATurn
) -> None:
    other = AConversation(conversation.row.owner).turn("other")
    assert go(owner, conversation, other.row.public_id) == 409


def test_a_link_to_a_turn_of_another_branch_offers_to_show_it_and_changes_nothing(
    owner: Client, conversation: AConversation, first: ATurn, second: ATurn
) -> None:
    html = owner.get(f"{conversation.url}?at={first.row.public_id}").content.decode()
    assert f'data-branch="{first.row.public_id}"' in html
    assert "Show that branch" in html
    assert "uno" in html
    assert Turn.objects.get(conversation=conversation.row, is_shown=True) == second.row


def test_the_menu_has_the_other_models_and_the_assistants(
    owner: Client, conversation: AConversation, second: ATurn
) -> None:
    a_model("other", label="Another model")
    Preset.objects.create(name="Kind", published=True)
    Preset.objects.create(name="Not mine", owner=a_user("somebody"))
    html = owner.get(f"/turns/{second.row.public_id}/regenerate").content.decode()
    assert "Another model" in html
    assert "Kind" in html
    assert "Not mine" not in html


def test_a_trace_says_which_branch_its_turn_is_on(
    owner: Client, conversation: AConversation, first: ATurn, second: ATurn
) -> None:
    below = conversation.turn("two", "3")
    html = owner.get(f"/turns/{below.row.public_id}/branch").content.decode()
    assert " ".join(html.split()).startswith('<p class="branch-of-trace">')
    assert "Branch 2 of 2 at turn 1" in html
    assert first.trace.get_absolute_url() in html
    hidden = owner.get(f"/turns/{first.row.public_id}/branch").content.decode()
    assert "The conversation shows another one." in hidden


def test_a_fork_has_the_branch_of_its_turn(
    conversation: AConversation, first: ATurn, second: ATurn
) -> None:
    for turn in (first, second):
        answer = turn.row.messages.get(role="assistant")
        Message.objects.filter(pk=answer.pk).update(parent=turn.question)
    made = forks.fork(conversation.row.owner, first.trace, 1).conversation
    texts = [message.body["content"] for message in made.messages.order_by("pk")]
    assert texts == ["one", "1"]
    assert list(made.turns.values_list("is_shown", "parent")) == [(True, None)]


def test_a_fork_has_the_assistant_of_its_branch(
    conversation: AConversation, first: ATurn, second: ATurn
) -> None:
    owner = conversation.row.owner
    left, shown = (Preset.objects.create(name=name, owner=owner) for name in ("Left", "Shown"))
    Turn.objects.filter(pk=first.row.pk).update(preset=left)
    Conversation.objects.update(preset=shown)
    forked = [forks.fork(owner, one.trace, None).conversation for one in (first, second)]
    assert [one.preset for one in forked] == [left, shown]


def test_a_cassette_and_the_json_of_a_trace_say_the_branch(
    first: ATurn,
) -> None:
    parent = str(uuid.uuid4())
    first.trace.attributes = {"turn": str(first.row.public_id), "parent": parent}
    first.trace.save()
    (turn,) = read("".join(cassettes.export([first.trace])).encode()).turns
    assert (turn.turn, turn.parent) == (str(first.row.public_id), parent)
    document = json.loads("".join(trace_json.document(first.trace, [])))
    assert (document["turn"], document["parent"]) == (str(first.row.public_id), parent)
