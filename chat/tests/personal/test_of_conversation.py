"""The panel with the instructions and parameters of a conversation."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Conversation, LanguageModel
from chat.tests.builders import AConversation, a_model, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def user(client: Client) -> User:
    user = a_user()
    client.force_login(user)
    return user


@pytest.fixture
def conversation(user: User) -> AConversation:
    model = a_model(parameters={"temperature": 0.7, "max_tokens": 500})
    return AConversation(user, model=model)


def address(conversation: AConversation) -> str:
    return f"{conversation.url}own"


def test_it_shows_what_the_model_has(client: Client, conversation: AConversation) -> None:
    page = client.get(address(conversation)).content.decode()
    assert 'placeholder="0.7"' in page and 'max="500"' in page
    assert "extra" not in page


def test_it_keeps_instructions_and_parameters(client: Client, conversation: AConversation) -> None:
    body = {"instructions": "Be brief.", "temperature": "0.1", "max_tokens": "100"}
    assert client.post(address(conversation), body).status_code == 200
    row = Conversation.objects.get()
    assert row.instructions == "Be brief."
    assert row.parameters == {"temperature": 0.1, "max_tokens": 100}


def test_more_than_the_admin_allows_is_refused(client: Client, conversation: AConversation) -> None:
    assert client.post(address(conversation), {"max_tokens": "501"}).status_code == 422
    assert client.post(address(conversation), {"temperature": "3"}).status_code == 422


def test_only_what_people_may_set_is_there(client: Client, conversation: AConversation) -> None:
    LanguageModel.objects.update(open_parameters=["top_p"])
    page = client.get(address(conversation)).content.decode()
    assert 'name="top_p"' in page and 'name="temperature"' not in page
    client.post(address(conversation), {"top_p": "0.5", "temperature": "0.1"})
    assert Conversation.objects.get().parameters == {"top_p": 0.5}
