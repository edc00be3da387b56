"""Drafts on the server: one for all tabs and devices, and nothing unseen is lost."""

import json
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.attachments import uploads
from chat.models import Attachment, Draft
from chat.tests.builders import AConversation, a_user
from limits.chat import MAX_MESSAGE_DRAFT_BYTES

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def url(owner: User) -> str:
    conversation = AConversation(owner)
    return reverse("chat:conversation_draft", args=[conversation.row.public_id])


def _save(page: Client, url: str, text: str, revision: int, *attached: Attachment) -> Any:
    ids = json.dumps([str(one.public_id) for one in attached])
    return page.post(url, {"text": text, "revision": revision, "attachments": ids})


def test_a_draft_that_nobody_wrote_is_empty(page: Client, url: str) -> None:
    assert page.get(url).json() == {"revision": 0, "text": "", "attachments": []}


def test_what_is_saved_is_there_on_another_device(page: Client, owner: User, url: str) -> None:
    file = uploads.upload(owner, "a.py", b"print(1)")
    assert _save(page, url, "草稿", 0, file).json() == {"revision": 1}
    draft = page.get(url).json()
    assert (draft["revision"], draft["text"]) == (1, "草稿")
    assert draft["attachments"] == [
        {"id": str(file.public_id), "name": "a.py", "mediaType": "text/plain", "size": 8}
    ]


def test_a_tab_that_was_overtaken_gets_the_newer_draft_and_changes_nothing(
    page: Client, url: str
) -> None:
    _save(page, url, "newer", 0)
    response = _save(page, url, "older", 0)
    newer = response.json()["newer"]
    assert (newer["revision"], newer["text"]) == (1, "newer")
    assert page.get(url).json()["text"] == "newer"


def test_an_emptied_draft_goes_on_counting(page: Client, url: str) -> None:
    _save(page, url, "sent", 0)
    assert _save(page, url, "", 1).json() == {"revision": 2}
    assert page.get(url).json() == {"revision": 2, "text": "", "attachments": []}


def test_a_new_conversation_has_a_draft_of_its_own(page: Client, url: str) -> None:
    _save(page, reverse("chat:draft"), "new", 0)
    assert page.get(reverse("chat:draft")).json()["text"] == "new"
    assert page.get(url).json()["text"] == ""


def test_nobody_sees_the_draft_of_another_person(page: Client, client: Client) -> None:
    _save(page, reverse("chat:draft"), "mine", 0)
    client.force_login(a_user("other"))
    assert client.get(reverse("chat:draft")).json()["text"] == ""


def test_what_is_too_long_is_refused_with_a_sentence_and_the_draft_stays(
    page: Client, url: str
) -> None:
    _save(page, url, "short", 0)
    response = _save(page, url, "汉" * (MAX_MESSAGE_DRAFT_BYTES // 3 + 1), 1)
    assert response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert response.json()["error"] == (
        "The draft has 1.0 MB; the limit is 1.0 MB. It is kept in this browser only."
    )
    assert page.get(url).json()["text"] == "short"


def test_a_draft_of_a_megabyte_is_kept_whole(page: Client, url: str) -> None:
    text = "x" * MAX_MESSAGE_DRAFT_BYTES
    assert _save(page, url, text, 0).status_code == HTTPStatus.OK
    assert Draft.objects.get().text == text


def test_line_breaks_are_those_of_the_composer(page: Client, url: str) -> None:
    _save(page, url, "a\r\nb", 0)
    assert Draft.objects.get().text == "a\nb"


@pytest.mark.parametrize("attachments", ["", "{", "3", '["x"]', "[" * 100_000])
def test_ids_that_are_none_are_left_out(page: Client, url: str, attachments: str) -> None:
    sent = {"text": "x", "revision": "x", "attachments": attachments}
    assert page.post(url, sent).json() == {"revision": 1}


def test_somebody_else_s_file_cannot_be_attached(page: Client, url: str) -> None:
    theirs = uploads.upload(a_user("other"), "a.py", b"secret")
    _save(page, url, "x", 0, theirs)
    assert page.get(url).json()["attachments"] == []


def test_a_file_of_a_draft_is_not_swept(page: Client, owner: User, url: str) -> None:
    kept, left = uploads.upload(owner, "a.py", b"1"), uploads.upload(owner, "b.py", b"2")
    _save(page, url, "x", 0, kept)
    Attachment.objects.update(created=timezone.now() - timedelta(days=2))
    assert uploads.sweep() == 1
    assert list(Attachment.objects.all()) == [kept]
    assert left.name == "b.py"


def test_a_draft_goes_with_its_conversation(page: Client, owner: User) -> None:
    conversation = AConversation(owner)
    url = reverse("chat:conversation_draft", args=[conversation.row.public_id])
    _save(page, url, "x", 0)
    conversation.row.delete()
    assert not Draft.objects.exists()
