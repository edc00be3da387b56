"""Every encrypted field of every model, and every page of the admin that shows such a model."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db.models import Field, Model
from django.test import Client
from django.urls import reverse

from chat.models import Conversation, Provider, SharedLink
from chat.tests.builders import AConversation, a_user
from tools.encryption import EncryptedJSONField, EncryptedTextField
from tools.models import Account, Server, SignIn, Trial

CANARY = "canary-7f3a91c2"
pytestmark = pytest.mark.django_db

ENCRYPTED: list[tuple[type[Model], "Field[Any, Any]"]] = [
    (model, field)
    for model in apps.get_models()
    for field in model._meta.fields
    if isinstance(field, EncryptedTextField)
]
# How a row of a model that the admin shows is made. A model that is registered needs one.
ROWS: dict[type[Model], Callable[[], dict[str, Any]]] = {
    Provider: lambda: {"name": "Service", "base_url": "https://models.example/v1"},
    Server: lambda: {"name": "docs", "transport": "http", "url": "https://docs.example/mcp"},
    SharedLink: lambda: _of_link(AConversation(a_user(), "A title").row),
    **dict.fromkeys((Account, SignIn, Trial), lambda: {"user": a_user(), "server": _server()}),
}


def _server() -> Server:
    return Server.objects.create(name="docs", transport="http", url="https://docs.example/mcp")


def _of_link(conversation: Conversation) -> dict[str, Any]:
    about = {"owner": conversation.owner, "conversation": conversation, "digest": "d"}
    return {**about, "audience": SharedLink.Audience.SIGNED_IN}


def _row(model: type[Model]) -> Model:
    secret = {
        field.name: {"name": CANARY} if isinstance(field, EncryptedJSONField) else CANARY
        for owner, field in ENCRYPTED
        if owner is model
    }
    return model._default_manager.create(**ROWS[model](), **secret)


def _pages(row: Model) -> list[str]:
    label = f"admin:{row._meta.app_label}_{row._meta.model_name}"
    rows = reverse(f"{label}_changelist")
    own = [reverse(f"{label}_{page}", args=[row.pk]) for page in ("change", "delete", "history")]
    return [*own, rows, f"{rows}?q=e"]


SHOWN = sorted({m for m, _ in ENCRYPTED if admin.site.is_registered(m)}, key=lambda m: m.__name__)


def test_models_with_secrets_are_found() -> None:
    assert {model.__name__ for model in SHOWN} >= {"Provider", "Server"}
    assert {field.name for _, field in ENCRYPTED} >= {"api_key", "oauth_client_secret", "tokens"}


@pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.__name__)
def test_no_page_of_the_admin_shows_a_secret(model: type[Model], admin_client: Client) -> None:
    for page in _pages(_row(model)):
        response = admin_client.get(page)
        is_kept = page.endswith("/delete/") and not getattr(
            admin.site.get_model_admin(model), "deletable", True
        )
        assert response.status_code == (403 if is_kept else 200), page
        assert CANARY not in response.content.decode(), page


@pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.__name__)
def test_nor_to_staff_who_may_only_look(model: type[Model], client: Client) -> None:
    viewer = User.objects.create_user("viewer", is_staff=True)
    name = f"view_{model._meta.model_name}"
    viewer.user_permissions.add(Permission.objects.get(codename=name))
    client.force_login(viewer)
    row = _row(model)
    label = f"{row._meta.app_label}_{row._meta.model_name}"
    response = client.get(reverse(f"admin:{label}_change", args=[row.pk]))
    assert response.status_code == 200
    assert CANARY not in response.content.decode()
