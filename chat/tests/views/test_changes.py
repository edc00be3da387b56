"""Renaming, deleting and copying."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Conversation
from chat.tests.builders import AConversation
from chat.tests.views.pages import page_html
from tracing.models import Archive

pytestmark = pytest.mark.django_db


def test_renaming_changes_the_title(page: Client, conversation: AConversation) -> None:
    url = reverse("chat:rename", args=[conversation.row.public_id])
    page.post(url, {"title": "  New\x00 \n title "})
    conversation.row.refresh_from_db()
    assert conversation.row.title == "New title"


def test_a_blank_title_changes_nothing(page: Client, conversation: AConversation) -> None:
    page.post(reverse("chat:rename", args=[conversation.row.public_id]), {"title": "  "})
    conversation.row.refresh_from_db()
    assert conversation.row.title == "A title"


def test_deleting_takes_the_evidence_along(page: Client, conversation: AConversation) -> None:
    conversation.turn(answer="Hi.")
    response = page.post(reverse("chat:delete", args=[conversation.row.public_id]))
    assert response["Location"] == "/"
    assert not Conversation.objects.exists()
    assert not Archive.objects.exists()


def test_a_message_can_be_had_as_it_was_written(page: Client, conversation: AConversation) -> None:
    turn = conversation.turn("<b>**x**</b>\n")
    response = page.get(reverse("chat:message_text", args=[turn.question.public_id]))
    assert response.content == b"<b>**x**</b>\n"
    assert response["Content-Type"] == "text/plain; charset=utf-8"


def test_the_account_menu_shows_what_a_person_may_do(page: Client, owner: User) -> None:
    assert reverse("admin:index") not in page_html(page, "/")
    owner.is_staff = owner.is_superuser = True
    owner.save()
    assert reverse("admin:index") in page_html(page, "/")
