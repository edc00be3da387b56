"""A conversation chooses among skills: its menu, what is kept, whose it is."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.agent import skill_choices
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.models import Conversation, Preset, Skill
from chat.tests.builders import AConversation, a_model, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def skills() -> None:
    for name in ("report", "sums", "off"):
        Skill.objects.create(name=name, description=f"Does {name}.", source=f"/nowhere/{name}")
    Skill.objects.filter(name="off").update(enabled=False)


@pytest.fixture
def conversation(client: Client) -> Conversation:
    owner = a_user()
    client.force_login(owner)
    return AConversation(owner, model=a_model()).row


def address(conversation: Conversation) -> str:
    return reverse("skills:choice_of", args=[conversation.public_id])


def chosen(html: bytes) -> list[str]:
    """The names whose switch is on."""
    parts = html.decode().split("data-skill-switch")[1:]
    return [part.split('"')[1] for part in parts if " checked" in part.split(">")[0]]


def test_without_a_choice_the_preset_s_skills_are_on(
    client: Client, conversation: Conversation
) -> None:
    shown = client.get(address(conversation)).content
    assert chosen(shown) == ["report", "sums"]
    assert b'value="off"' not in shown


def test_a_preset_s_patterns_are_shown(client: Client, conversation: Conversation) -> None:
    Preset.objects.update(skills=["re*"])
    assert chosen(client.get(address(conversation)).content) == ["report"]


def test_a_choice_is_kept_and_given_back(client: Client, conversation: Conversation) -> None:
    client.post(address(conversation), {"choice": json.dumps(["sums"])})
    conversation.refresh_from_db()
    assert conversation.skills == ["sums"]
    assert chosen(client.get(address(conversation)).content) == ["sums"]
    client.post(address(conversation), {"choice": ""})
    conversation.refresh_from_db()
    assert conversation.skills is None


def test_nothing_is_a_choice_too(client: Client, conversation: Conversation) -> None:
    client.post(address(conversation), {"choice": "[]"})
    assert chosen(client.get(address(conversation)).content) == []


@pytest.mark.parametrize("choice", ["{", "{}", '"sums"', "[1]", json.dumps(["n" * 65])])
def test_what_is_no_choice_is_refused_and_changes_nothing(
    client: Client, conversation: Conversation, choice: str
) -> None:
    answer = client.post(address(conversation), {"choice": choice})
    conversation.refresh_from_db()
    assert (answer.status_code, conversation.skills) == (400, None)


def test_a_conversation_of_somebody_else_is_not_there(
    client: Client, conversation: Conversation
) -> None:
    client.force_login(a_user("outsider"))
    assert client.post(address(conversation), {"choice": "[]"}).status_code == 404
    client.logout()
    assert client.get(address(conversation)).status_code == 302


def test_the_menu_of_a_new_conversation_follows_model_and_preset(
    client: Client, conversation: Conversation
) -> None:
    own = Preset.objects.create(name="Mine", owner=conversation.owner, skills=["sums"])
    new = reverse("skills:choice")
    assert chosen(client.get(new).content) == ["report", "sums"]
    assert chosen(client.get(new, {"preset": str(own.public_id)}).content) == ["sums"]
    assert client.get(new, {"preset": "nonsense", "model": "x"}).status_code == 200


def test_a_message_that_begins_a_conversation_brings_its_choice(
    conversation: Conversation,
) -> None:
    sent: dict[str, Any] = {"key": str(uuid.uuid4()), "text": "hello"}
    turn = send_message(conversation.owner, NewMessage(**sent, skills=["sums"]))
    assert turn.conversation.skills == ["sums"]


def test_nothing_is_shown_where_there_are_no_skills(
    client: Client, conversation: Conversation
) -> None:
    Skill.objects.all().delete()
    assert client.get(address(conversation)).content.strip() == b""


@pytest.mark.parametrize("written", [{}, "a", [None], ["n"] * 1_001])
def test_a_choice_is_a_list_of_names(written: object) -> None:
    with pytest.raises(Rejected, match="choice of skills is invalid"):
        skill_choices.read_choice(written)
    assert skill_choices.read_choice(["a*", "\ud800"]) == ["a*", "\ufffd"]
