"""Attachments of messages that come by the websocket."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.contrib.auth.models import User

from chat.models import Attachment
from chat.tests.live.tabs import Frame, Model, Open, Tab
from tests import patience
from tests.signing_in import session_cookie


def _upload(server: str, user: User, content: bytes) -> str:
    """The id of a file that was uploaded over HTTP as the page does it."""
    token = "t" * 32
    response = httpx2.post(
        f"{server}/attachments/",
        headers={"Cookie": f"{session_cookie(user)}; {settings.CSRF_COOKIE_NAME}={token}"},
        data={"csrfmiddlewaretoken": token, "name": "a.py"},
        files={"file": ("file", content)},
        trust_env=False,
        timeout=patience.SECONDS,
    )
    assert response.status_code == HTTPStatus.CREATED, response.text
    return str(response.json()["id"])


def _attached(tab: Tab, model: str, attachments: Any, key: str = "k") -> Frame:
    return tab.ask(
        type="send", key=key, conversation=None, model=model, text="", attachments=attachments
    )


def test_what_was_uploaded_is_sent_with_a_message(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept = _upload(server, owner, b"x" * 1_000_000)
    answer = _attached(opened(owner), model("stub"), [kept])
    assert answer["type"] == "accepted"
    attachment = Attachment.objects.get(public_id=kept)
    assert attachment.size == 1_000_000
    assert attachment.message is not None
    assert str(attachment.message.public_id) == answer["message"]


def test_the_same_key_ten_times_at_once_takes_an_attachment_once(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept, name = _upload(server, owner, b"x"), model("stub")
    tabs = [opened(owner) for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda tab: _attached(tab, name, [kept]), tabs))
    assert len({answer["turn"] for answer in answers}) == 1
    assert Attachment.objects.count() == 1


def test_two_messages_at_once_have_an_attachment_each(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept, name = _upload(server, owner, b"x"), model("stub")
    tabs = {key: opened(owner) for key in ("a", "b", "c", "d")}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda key: _attached(tabs[key], name, [kept], key), tabs))
    sent = Attachment.objects.exclude(message=None)
    assert [answer["type"] for answer in answers].count("accepted") == sent.count() >= 1
    assert not Attachment.objects.unsent().exists()


@pytest.mark.parametrize("attachments", ["x", {}, 7, [None], ["x"], [[]], [str(uuid.uuid4())]])
def test_attachments_that_are_none_are_rejected_with_a_sentence(
    opened: Open, owner: User, model: Model, attachments: Any
) -> None:
    answer = _attached(opened(owner), model("stub"), attachments)
    assert answer["type"] == "rejected"
    assert "no longer exists" in answer["error"]


def test_the_attachment_of_another_user_cannot_be_sent(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept, name = _upload(server, owner, b"x"), model("stub")
    outsider = User.objects.create_user("outsider", is_staff=True)
    assert _attached(opened(outsider), name, [kept])["type"] == "rejected"
    assert Attachment.objects.unsent().exists()
