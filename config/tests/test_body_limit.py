"""Through the ASGI application: what it makes of bodies that are too long."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.setup import ensure_walkthrough
from config import body_limit
from config.body_limit import IMPORTS, SKILLS, UPLOADS, BodyLimit, max_bytes
from limits.transfer import MAX_IMPORT_BYTES
from limits.web import MAX_ANONYMOUS_BODY_BYTES, MAX_BODY_BYTES
from tests.signing_in import session_cookie

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cookie() -> str:
    return session_cookie(User.objects.create_user("owner"))


async def _reads_all(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Like Django: takes the whole body, then answers."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def _send(pieces: list[bytes], path: str = "/", *, more: bool = False, **headers: str) -> list[int]:
    """The status that was answered, if any. `more`: the last piece is not the end."""
    sent: list[dict[str, Any]] = []
    messages: Iterator[dict[str, Any]] = iter(
        {"type": "http.request", "body": piece, "more_body": more or number < len(pieces)}
        for number, piece in enumerate(pieces, 1)
    )

    async def receive() -> dict[str, Any]:
        message = next(messages, None)
        if message is None:
            await asyncio.Event().wait()
        return message or {}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    pairs = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    scope = {"type": "http", "path": path, "headers": pairs}
    asyncio.run(BodyLimit(_reads_all)(scope, receive, send))
    return [message["status"] for message in sent if "status" in message]


def test_a_body_of_usual_length_goes_through() -> None:
    assert _send([b"a" * 1000], content_length="1000") == [200]


def test_a_body_of_the_greatest_length_goes_through(cookie: str) -> None:
    assert _send([b"a" * MAX_BODY_BYTES], cookie=cookie) == [200]


def test_a_stranger_sends_as_much_as_a_sign_in_needs() -> None:
    assert _send([b"a" * MAX_ANONYMOUS_BODY_BYTES]) == [200]


def test_a_stranger_who_announces_more_is_refused_before_anything_is_read() -> None:
    assert _send([], UPLOADS, content_length=str(MAX_ANONYMOUS_BODY_BYTES + 1)) == [401]


def test_a_stranger_who_sends_more_is_refused() -> None:
    assert _send([b"a" * MAX_ANONYMOUS_BODY_BYTES, b"a", b"a" * 1000]) == [401]


def test_a_session_that_has_ended_is_a_strangers(client: Client, cookie: str) -> None:
    User.objects.update(is_active=False)
    assert _send([b"a" * MAX_ANONYMOUS_BODY_BYTES, b"a"], cookie=cookie) == [401]


def test_a_worker_asks_a_cassette_with_a_long_history() -> None:
    provider = ensure_walkthrough().provider
    path = f"/cassettes/{provider.slug}/v1/chat/completions"
    body = [b"a" * MAX_ANONYMOUS_BODY_BYTES, b"a"]
    assert _send(body, path, authorization=f"Bearer {provider.api_key}") == [200]
    assert _send(body, path, authorization="Bearer wrong") == [401]


def test_a_body_that_comes_too_slowly_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "MAX_BODY_GRACE_S", 0.05)
    assert _send([b"a"], more=True) == [408]


def test_a_length_that_is_too_great_is_refused_before_anything_is_read() -> None:
    assert _send([], content_length=str(MAX_BODY_BYTES + 1)) == [413]


def test_a_length_of_many_digits_is_refused() -> None:
    assert _send([], content_length="9" * 5000) == [413]


def test_who_announces_nothing_and_sends_too_much_is_refused(cookie: str) -> None:
    half = b"a" * (MAX_BODY_BYTES // 2)

    assert _send([half, half, b"a"], cookie=cookie) == [413]


def test_a_file_may_be_uploaded_that_is_longer_than_any_other_body(cookie: str) -> None:
    length = max_bytes(UPLOADS)
    assert length > settings.ATTACHMENT_IMAGE_BYTES > MAX_BODY_BYTES
    assert _send([b"a"], path=UPLOADS, content_length=str(length), cookie=cookie) == [200]
    assert _send([], path=UPLOADS, content_length=str(length + 1)) == [413]
    assert _send([], path="/accounts/login/", content_length=str(length)) == [413]


def test_the_form_of_a_workspaces_files_has_room_for_one() -> None:
    room = settings.WORKSPACE_UPLOAD_BYTES
    assert max_bytes("/c/00000000-0000-0000-0000-000000000000/files/upload") > room
    assert max_bytes("/c/x/files/upload") == MAX_BODY_BYTES


@pytest.mark.parametrize("name", ["upload", "replace"])
def test_a_project_takes_files_as_large_as_a_message_does(name: str) -> None:
    path = reverse(f"projects:{name}", args=[uuid4()])
    assert max_bytes(path) == max_bytes(UPLOADS)
    assert max_bytes(reverse("projects:details", args=[uuid4()])) == MAX_BODY_BYTES


def test_a_skill_fits_into_its_form() -> None:
    assert max_bytes(SKILLS) > settings.SKILL_BYTES


def test_an_import_may_have_a_gigabyte_and_not_two(cookie: str) -> None:
    assert max_bytes(IMPORTS) >= MAX_IMPORT_BYTES
    assert _send([b""], IMPORTS, more=True, cookie=cookie, content_length="2000000000") == [413]
