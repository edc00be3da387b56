"""The picker of an empty page, and what a conversation is told to do differently."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Message, Preset
from chat.tests.builders import AConversation, a_model, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client: Client) -> User:
    user = a_user("ann")
    client.force_login(user)
    return user


def published(name: str = "Coder", **fields: Any) -> Preset:
    return Preset.objects.create(name=name, published=True, **fields)


def test_an_empty_page_offers_what_one_may_choose(client: Client, person: User) -> None:
    a_model()
    published("Coder", description="Codes.", starters=["Write a test"])
    Preset.objects.create(name="Hidden")
    page = client.get("/").content.decode()
    assert ">Coder</option>" in page
    assert ("Write a test" in page, "Hidden" in page) == (True, False)


def test_a_link_chooses_the_assistant_and_its_model(client: Client, person: User) -> None:
    a_model("first", is_default=True)
    second = a_model("second")
    chosen = published(model=second)
    answer = client.get(f"/?assistant={chosen.public_id}")
    assert answer.context["preset"] == chosen
    assert answer.context["chosen"] == second


@pytest.mark.parametrize("named", ["nonsense", "6d1c1a5e-0000-4000-8000-000000000000"])
def test_a_link_to_an_assistant_that_is_gone_says_so(
    client: Client, person: User, named: str
) -> None:
    a_model()
    published()
    page = client.get(f"/?assistant={named}").content.decode()
    assert "This assistant is no longer available" in page


def test_another_assistant_is_chosen_within_a_conversation(client: Client, person: User) -> None:
    conversation = AConversation(person, model=a_model())
    conversation.turn(answer="Yes.")
    chosen = published(system_prompt="Be short.")
    url = f"{conversation.url}assistant"
    assert "Applies from the next message" in client.get(url).content.decode()
    answer = client.post(url, {"assistant": str(chosen.public_id)})
    assert b"data-saved" in answer.content
    conversation.row.refresh_from_db()
    assert conversation.row.preset == chosen
    assert Message.objects.latest("pk").body == {"role": "system", "content": "Be short."}


def test_the_page_says_which_assistant_answers(client: Client, person: User) -> None:
    conversation = AConversation(person, model=a_model(), preset=published("Coder"))
    assert ": Coder" in client.get(conversation.url).content.decode()


def test_while_an_answer_is_written_the_choice_says_why_not(client: Client, person: User) -> None:
    conversation = AConversation(person, model=a_model())
    conversation.turn(status="streaming")
    answer = client.post(f"{conversation.url}assistant", {"assistant": str(published().public_id)})
    assert answer.status_code == 422
    assert "An answer is in progress" in answer.content.decode()
    conversation.row.refresh_from_db()
    assert conversation.row.preset is None


def test_one_that_is_unpublished_stays_for_those_that_have_it(client: Client, person: User) -> None:
    kept = Preset.objects.create(name="Old")
    conversation = AConversation(person, model=a_model(), preset=kept)
    page = client.get(f"{conversation.url}assistant").content.decode()
    assert f'value="{kept.public_id}" checked' in page
    another = AConversation(person, model=a_model("other"))
    answer = client.post(f"{another.url}assistant", {"assistant": str(kept.public_id)})
    assert answer.status_code == 422


def test_limits_are_kept_and_what_is_empty_is_inherited(client: Client, person: User) -> None:
    preset = published(limits={"tools_sent": 9})
    conversation = AConversation(person, model=a_model(), preset=preset)
    page = client.get(f"{conversation.url}limits").content.decode()
    assert 'placeholder="9"' in page
    client.post(f"{conversation.url}limits", {"limit_todo_items": "5", "limit_tools_sent": ""})
    conversation.row.refresh_from_db()
    assert conversation.row.limits == {"todo_items": 5}


def test_a_limit_that_cannot_be_is_refused_and_stays_in_its_field(
    client: Client, person: User
) -> None:
    conversation = AConversation(person, model=a_model(), limits={"todo_items": 5})
    sent = {"limit_rounds": "500", "limit_todo_items": "7"}
    answer = client.post(f"{conversation.url}limits", sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "50 is the limit here" in page
    assert 'value="500"' in page
    conversation.row.refresh_from_db()
    assert conversation.row.limits == {"todo_items": 5}


@pytest.mark.parametrize("part", ["assistant", "limits"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_anothers_conversation_is_not_there(
    client: Client, person: User, part: str, method: str
) -> None:
    theirs = AConversation(a_user("bob"), model=a_model())
    assert getattr(client, method)(f"{theirs.url}{part}").status_code == 404
