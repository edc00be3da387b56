"""The admin of conversations, providers and models."""

from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.models import Conversation, Preset, Provider
from chat.tests.builders import AConversation, a_model, a_user
from tracing.models import Archive

pytestmark = pytest.mark.django_db

CANARY = "sk-canary-0123456789"


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def provider() -> Provider:
    return Provider.objects.create(
        name="Local", base_url="https://models.example/v1", api_key=CANARY
    )


@pytest.fixture
def conversation() -> AConversation:
    conversation = AConversation(a_user("owner"), "数据库有几张表")
    conversation.turn("How many?", "Three.", model=a_model())
    return conversation


def _list(admin: Client, name: str, **query: str) -> str:
    response = admin.get(reverse(f"admin:chat_{name}_changelist"), query)
    assert response.status_code == HTTPStatus.OK
    return response.content.decode()


@pytest.mark.parametrize(
    "name", ["conversation", "turn", "message", "provider", "languagemodel", "preset"]
)
def test_every_list_and_its_search_can_be_opened(
    admin: Client, conversation: AConversation, provider: Provider, name: str
) -> None:
    _list(admin, name, q="a")
    assert 'class="action-select"' in _list(admin, name)


def test_a_conversation_is_found_by_its_title_and_its_id(
    admin: Client, conversation: AConversation
) -> None:
    AConversation(a_user("other"), "Another")
    for words in ("数据库", str(conversation.row.public_id)):
        html = _list(admin, "conversation", q=words)
        assert "数据库有几张表" in html
        assert "Another" not in html


def test_turns_are_filtered_by_status(admin: Client, conversation: AConversation) -> None:
    conversation.turn("Fails?", status="failed")
    html = _list(admin, "turn", status__exact="failed")
    assert "Fails?" in html
    assert "How many?" not in html


def test_a_turn_links_to_its_trace(admin: Client, conversation: AConversation) -> None:
    turn = conversation.turn("Traced?")
    assert f'href="/traces/{turn.trace.public_id}/"' in _list(admin, "turn")


def test_what_was_said_cannot_be_changed(admin: Client, conversation: AConversation) -> None:
    page = reverse("admin:chat_conversation_change", args=[conversation.row.pk])
    assert admin.post(page, {"title": "x"}).status_code == HTTPStatus.FORBIDDEN


def test_deleting_a_selection_takes_the_evidence_along(
    admin: Client, conversation: AConversation
) -> None:
    chosen = {
        "action": "delete_selected",
        "_selected_action": [conversation.row.pk],
        "post": "yes",
    }
    admin.post(reverse("admin:chat_conversation_changelist"), chosen)
    assert not Conversation.objects.exists()
    assert not Archive.objects.exists()


def _save(admin: Client, provider: Provider, **changes: Any) -> Any:
    fields = {
        "name": provider.name,
        "kind": provider.kind,
        "base_url": provider.base_url,
        "api_key": "",
        "enabled": "on",
    }
    url = reverse("admin:chat_provider_change", args=[provider.pk])
    response = admin.post(url, {**fields, **changes})
    provider.refresh_from_db()
    return response


def test_a_key_is_never_shown(admin: Client, provider: Provider) -> None:
    page = admin.get(reverse("admin:chat_provider_change", args=[provider.pk]))
    assert CANARY not in page.content.decode()
    assert CANARY not in _list(admin, "provider")
    assert CANARY not in _save(admin, provider, name="", api_key=CANARY).content.decode()


def test_a_blank_key_is_kept(admin: Client, provider: Provider) -> None:
    _save(admin, provider, name="Renamed")
    assert (provider.name, provider.api_key) == ("Renamed", CANARY)


def test_a_key_can_be_replaced_and_forgotten(admin: Client, provider: Provider) -> None:
    _save(admin, provider, api_key="sk-new")
    assert provider.api_key == "sk-new"
    _save(admin, provider, forget_key="on")
    assert provider.api_key == ""


def test_another_base_url_needs_the_key_again(admin: Client, provider: Provider) -> None:
    response = _save(admin, provider, base_url="https://elsewhere.example/v1")
    assert "Enter the key again" in response.content.decode()
    assert provider.base_url == "https://models.example/v1"
    _save(admin, provider, base_url="https://elsewhere.example/v1", api_key="sk-new")
    assert (provider.base_url, provider.api_key) == ("https://elsewhere.example/v1", "sk-new")


def test_a_preset_keeps_lists(admin: Client) -> None:
    url = reverse("admin:chat_preset_add")
    fields = {"name": "P", "system_prompt": "", "tools": "", "starters": '["你好", "Hi"]'}
    admin.post(url, fields)
    preset = Preset.objects.get()
    assert (preset.tools, preset.starters) == (None, ["你好", "Hi"])
    change = reverse("admin:chat_preset_change", args=[preset.pk])
    assert "你好" in admin.get(change).content.decode()
    answer = admin.post(change, {**fields, "starters": '{"a": 1}'}).content.decode()
    assert "Enter a JSON array of strings." in answer


def test_a_model_keeps_its_parameters(admin: Client) -> None:
    model = a_model(parameters={"temperature": 0.2})
    change = reverse("admin:chat_languagemodel_change", args=[model.pk])
    fields = {
        "provider": model.provider_id,
        "name": model.name,
        "dialect": "native",
        "parameters": '{"top_p": 0.5}',
        "enabled": "on",
    }
    admin.post(change, fields)
    model.refresh_from_db()
    assert model.parameters == {"top_p": 0.5}
    admin.post(change, {**fields, "parameters": ""})
    model.refresh_from_db()
    assert model.parameters == {}
