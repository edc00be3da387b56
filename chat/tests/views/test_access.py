"""Who sees and changes a conversation."""

from collections.abc import Iterator
from http import HTTPStatus

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Conversation
from chat.tests.builders import AConversation, a_user

pytestmark = pytest.mark.django_db


def _routes(conversation: AConversation) -> Iterator[tuple[str, str]]:
    turn = conversation.turn(answer="Hi.")
    row = conversation.row.public_id
    yield "get", reverse("chat:conversation", args=[row])
    yield "get", reverse("chat:thread", args=[row])
    yield "get", reverse("chat:turn", args=[turn.row.public_id])
    yield "get", reverse("chat:message_text", args=[turn.question.public_id])
    yield "post", reverse("chat:rename", args=[row])
    yield "post", reverse("chat:delete", args=[row])


def test_what_is_another_user_s_is_not_found(client: Client, conversation: AConversation) -> None:
    client.force_login(a_user("outsider", is_superuser=True, is_staff=True))
    for method, url in _routes(conversation):
        response = getattr(client, method)(url, {"title": "mine"})
        assert response.status_code == HTTPStatus.NOT_FOUND, url
    assert Conversation.objects.get().title == "A title"


def test_who_is_not_signed_in_is_asked_to(client: Client, conversation: AConversation) -> None:
    urls = [*_routes(conversation), ("get", "/"), ("get", reverse("chat:conversations"))]
    for method, url in urls:
        response = getattr(client, method)(url)
        assert response.status_code == HTTPStatus.FOUND, url
        assert response["Location"].startswith(reverse("account_login"))
    assert Conversation.objects.exists()


def test_changes_need_a_csrf_token(owner: User, conversation: AConversation) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    for name in ("rename", "delete"):
        url = reverse(f"chat:{name}", args=[conversation.row.public_id])
        assert browser.post(url, {"title": "x"}).status_code == HTTPStatus.FORBIDDEN


def test_changes_are_not_made_by_get(page: Client, conversation: AConversation) -> None:
    for name in ("rename", "delete"):
        url = reverse(f"chat:{name}", args=[conversation.row.public_id])
        assert page.get(url).status_code == HTTPStatus.METHOD_NOT_ALLOWED


def test_nothing_is_kept_by_a_cache(page: Client, conversation: AConversation) -> None:
    assert "no-store" in page.get(conversation.url)["Cache-Control"]
