"""Attachments: who may upload, see and send them, and what a model is given of them."""

import json
import uuid
from base64 import b64encode
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chat.attachments import uploads
from chat.attachments.resolving import resolve
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.models import Attachment, LanguageModel, Message, Turn
from chat.tests.builders import a_model, a_user
from chat.tests.images import png
from limits.chat import MAX_UNSENT_ATTACHMENTS
from tests.signing_in import signed_in

pytestmark = pytest.mark.django_db

UPLOAD = "/attachments/"
FILE = f"data:text/plain;base64,{b64encode(b'print(1)').decode()}"
NAMES = [
    '"><img src=x onerror=alert(1)>.txt',
    "数据库 说明.md",
    "evil\u202egpj.txt",
    "a" * 300 + ".py",
]


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    """The owner's browser."""
    client.force_login(owner)
    return client


@pytest.fixture
def model() -> LanguageModel:
    return a_model("seeing", label="Seeing", takes_images=True, is_default=True)


def _upload(browser: Client, content: bytes = b"print(1)", name: str = "a.py") -> Any:
    file = SimpleUploadedFile("file", content)
    return browser.post(UPLOAD, {"file": file, "name": name})


def _attachment(owner: User, content: bytes = b"print(1)", name: str = "a.py") -> Attachment:
    return uploads.upload(owner, name, content)


def _send(owner: User, *attached: Attachment, text: str = "look", **fields: Any) -> Turn:
    ids = [one.public_id for one in attached]
    key = fields.pop("key", str(uuid.uuid4()))
    return send_message(owner, NewMessage(key=key, text=text, attachment_ids=ids, **fields))


def _content(turn: Turn) -> Any:
    assert turn.question is not None
    return turn.question.body["content"]


# Uploading


def test_an_upload_is_answered_with_what_was_kept(page: Client, owner: User) -> None:
    response = _upload(page, png(), "shot.png")
    assert response.status_code == HTTPStatus.CREATED
    kept = Attachment.objects.get()
    expected = {"name": "shot.png", "media_type": "image/png", "size": len(png())}
    assert response.json() == {"id": str(kept.public_id), **expected}
    assert (kept.owner, kept.message, bytes(kept.content)) == (owner, None, png())


def test_what_a_browser_calls_a_file_is_not_believed(page: Client) -> None:
    file = SimpleUploadedFile("x.png", b"<script>alert(1)</script>", content_type="image/png")
    assert page.post(UPLOAD, {"file": file}).json()["media_type"] == "text/plain"


@pytest.mark.parametrize("content", [b"\x7fELF\0", b"", png(100_000, 1)])
def test_what_is_not_taken_is_refused_with_a_sentence(page: Client, content: bytes) -> None:
    response = _upload(page, content)
    assert response.status_code == HTTPStatus.BAD_REQUEST
    assert response.json()["error"].endswith(".")
    assert not Attachment.objects.exists()


def test_a_request_without_a_file_is_refused(page: Client) -> None:
    assert page.post(UPLOAD).status_code == HTTPStatus.BAD_REQUEST


def test_a_file_that_is_too_large_is_refused_before_it_is_read(page: Client) -> None:
    response = _upload(page, b"x" * 20_000_001)
    assert response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "the limit is 20.0 MB" in response.json()["error"]


def test_uploading_needs_a_signed_in_user_and_a_token(client: Client, owner: User) -> None:
    assert _upload(client).status_code == HTTPStatus.FOUND
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    assert _upload(strict).status_code == HTTPStatus.FORBIDDEN
    assert not Attachment.objects.exists()


def test_nobody_uploads_without_end(page: Client, owner: User) -> None:
    Attachment.objects.bulk_create(_row(owner) for _ in range(MAX_UNSENT_ATTACHMENTS))
    assert "Send or remove some" in _upload(page).json()["error"]


def _row(owner: User, **fields: Any) -> Attachment:
    return Attachment(
        owner=owner, name="a", media_type="text/plain", size=1, content=b"x", **fields
    )


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("C:\\fakepath\\a.py", "a.py"),
        ("../../etc/passwd", "passwd"),
        ("a\r\nb\0.py", "a b\ufffd.py"),
        ("", "text.txt"),
        ("/", "text.txt"),
        ("\ud800.py", "\ufffd.py"),
        ("a" * 300 + ".py", "a" * 196 + "….py"),
    ],
)
def test_a_name_is_the_last_part_of_a_path_on_one_line(name: str, kept: str) -> None:
    assert uploads.clean_name(name, "text/plain") == kept


def test_an_upload_that_is_not_sent_is_swept_after_a_day(owner: User, model: LanguageModel) -> None:
    sent, old = _attachment(owner), _attachment(owner)
    _send(owner, sent)
    Attachment.objects.update(created=timezone.now() - timedelta(days=1, seconds=1))
    fresh = _attachment(owner)
    assert set(Attachment.objects.all()) == {sent, fresh}
    with pytest.raises(Rejected, match="no longer exists"):
        _send(owner, old)


# Seeing and removing


@pytest.mark.parametrize("name", ["attachment", "attachment_preview"])
def test_an_attachment_is_seen_by_its_owner_and_once_sent_by_staff(
    owner: User, model: LanguageModel, name: str
) -> None:
    kept = _attachment(owner)
    url = reverse(f"chat:{name}", args=[kept.public_id])
    people = [owner, a_user("other"), a_user("staff", is_staff=True, is_superuser=True)]

    def statuses() -> list[int]:
        return [signed_in(user).get(url).status_code for user in people]

    assert statuses() == [200, 404, 404]
    _send(owner, kept)
    assert statuses() == [200, 404, 200]
    assert Client().get(url).status_code == HTTPStatus.FOUND


@pytest.mark.parametrize(
    ("content", "media_type"),
    [(png(), "image/png"), (b"<script>alert(1)</script>", "text/plain; charset=utf-8")],
)
def test_an_attachment_is_served_so_that_nothing_in_it_runs(
    page: Client, owner: User, content: bytes, media_type: str
) -> None:
    kept = _attachment(owner, content, NAMES[0])
    response = page.get(reverse("chat:attachment", args=[kept.public_id]))
    assert (response.content, response["Content-Type"]) == (content, media_type)
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_a_header_or_a_page(
    page: Client, owner: User, model: LanguageModel, name: str
) -> None:
    kept = _attachment(owner, b"x", name)
    header = page.get(reverse("chat:attachment", args=[kept.public_id]))["Content-Disposition"]
    assert header.startswith("inline; filename") and header.isascii()
    turn = _send(owner, kept)
    html = page.get(turn.conversation.get_absolute_url()).content.decode()
    assert "<img src=x" not in html and "\u202e" not in html
    assert f'id="attachment-{kept.public_id}"' in html


def test_a_preview_is_the_beginning_of_the_text_escaped(page: Client, owner: User) -> None:
    kept = _attachment(owner, b"<b>" + b"x" * 30_000, "a.html")
    html = page.get(reverse("chat:attachment_preview", args=[kept.public_id])).content.decode()
    assert "<b>" not in html
    assert "The first 20,000 characters." in html
    assert len(html) < 25_000


def test_the_owner_removes_what_was_not_sent(owner: User, model: LanguageModel) -> None:
    unsent, sent = _attachment(owner), _attachment(owner)
    _send(owner, sent)
    for user in (a_user("staff", is_staff=True, is_superuser=True), owner):
        for one in (unsent, sent):
            url = reverse("chat:attachment_remove", args=[one.public_id])
            assert signed_in(user).post(url).status_code == HTTPStatus.NO_CONTENT
        left = {unsent, sent} if user is not owner else {sent}
        assert set(Attachment.objects.all()) == left


# Sending


def test_a_message_refers_to_its_attachments(owner: User, model: LanguageModel) -> None:
    image, file = _attachment(owner, png(), "a.png"), _attachment(owner)
    turn = _send(owner, image, file)
    about = {"name": "a.png", "media_type": "image/png", "size": len(png())}
    assert _content(turn) == [
        {"type": "text", "text": "look"},
        {
            "type": "image_url",
            "image_url": {"url": f"attachment:{image.public_id}"},
            "attachment": about,
        },
        {
            "type": "file",
            "file": {"filename": "a.py", "file_id": f"attachment:{file.public_id}"},
            "attachment": {"name": "a.py", "media_type": "text/plain", "size": 8},
        },
    ]
    assert list(Attachment.objects.values_list("message", flat=True)) == [turn.question_id] * 2


def test_a_message_without_attachments_stays_a_text(owner: User, model: LanguageModel) -> None:
    assert _content(_send(owner)) == "look"


def test_attachments_alone_are_a_message_that_has_their_names(
    owner: User, model: LanguageModel
) -> None:
    turn = _send(owner, _attachment(owner), text=" ")
    assert [part["type"] for part in _content(turn)] == ["file"]
    assert turn.conversation.title == "a.py"


def test_another_user_s_attachment_cannot_be_sent(owner: User, model: LanguageModel) -> None:
    kept = _attachment(owner)
    for user in (a_user("other"), a_user("staff", is_staff=True, is_superuser=True)):
        with pytest.raises(Rejected, match="no longer exists"):
            _send(user, kept)
    assert not Message.objects.exists()


def test_the_same_key_gives_the_same_turn_and_takes_nothing_twice(
    owner: User, model: LanguageModel
) -> None:
    kept = _attachment(owner)
    first = _send(owner, kept, key="k")
    assert _send(owner, kept, key="k") == first
    assert Attachment.objects.count() == Message.objects.count() == 1


def test_what_an_earlier_message_has_is_copied_for_another_one(
    owner: User, model: LanguageModel
) -> None:
    kept = _attachment(owner)
    first = _send(owner, kept)
    again = _send(owner, kept, conversation_id=first.conversation.public_id)
    copy = Attachment.objects.get(message=again.question)
    assert copy.public_id != kept.public_id
    assert (copy.name, bytes(copy.content)) == ("a.py", b"print(1)")
    assert str(copy.public_id) in json.dumps(_content(again))


def test_a_message_has_so_many_attachments_and_no_more(owner: User, model: LanguageModel) -> None:
    many = [_attachment(owner) for _ in range(11)]
    with pytest.raises(Rejected, match="11 attachments; the limit is 10"):
        _send(owner, *many)
    assert len(_content(_send(owner, *many[:10], many[0]))) == 11


def test_attachments_have_so_many_bytes_together(
    owner: User, model: LanguageModel, settings: Any
) -> None:
    settings.ATTACHMENTS_MESSAGE_BYTES = 15
    with pytest.raises(Rejected, match="16 B together; the limit is 15 B"):
        _send(owner, _attachment(owner), _attachment(owner))


def test_a_model_that_reads_no_images_is_not_sent_one(owner: User) -> None:
    blind = a_model("blind", label="Blind")
    nous = a_model("nous", label="Nous", takes_images=True, dialect="nous")
    for model in (blind, nous):
        with pytest.raises(Rejected) as refused:
            _send(owner, _attachment(owner, png()), model_id=model.public_id)
        expected = f"{model} does not read images: choose another model or remove it."
        assert str(refused.value) == expected
        _send(owner, _attachment(owner), model_id=model.public_id)


def test_attachments_go_with_their_conversation_and_their_owner(
    owner: User, model: LanguageModel
) -> None:
    turn = _send(owner, _attachment(owner))
    unsent = _attachment(owner)
    turn.conversation.delete()
    assert list(Attachment.objects.all()) == [unsent]
    owner.delete()
    assert not Attachment.objects.exists()


# What a model is given


def _asked(*bodies: Any) -> list[Any]:
    return [{"role": "user", "content": body} for body in bodies]


def test_bytes_stand_in_the_place_of_references(owner: User, model: LanguageModel) -> None:
    turn = _send(owner, _attachment(owner, png(), "a.png"), _attachment(owner, name='"数".py'))
    resolved = resolve(_asked(_content(turn)), model)
    url = f"data:image/png;base64,{b64encode(png()).decode()}"
    assert resolved.messages == _asked(
        [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": url}},
            {"type": "file", "file": {"filename": '"数".py', "file_data": FILE}},
        ]
    )
    assert resolved.notes == []


def test_a_model_that_reads_no_images_is_told_their_names(
    owner: User, model: LanguageModel
) -> None:
    content = _content(_send(owner, _attachment(owner, png(), "a.png"), _attachment(owner)))
    resolved = resolve(_asked(content), a_model("blind", label="Blind"))
    told = "\n\n[The image a.png is left out: Blind does not read images.]"
    (message,) = resolved.messages
    assert message["content"][1:] == [  # type: ignore[index]
        {"type": "text", "text": told},
        {"type": "file", "file": {"filename": "a.py", "file_data": FILE}},
    ]
    assert resolved.notes == [
        "The image a.png is left out, its name sent instead: Blind does not read images."
    ]


def test_an_attachment_that_is_gone_is_named(owner: User, model: LanguageModel) -> None:
    content = _content(_send(owner, _attachment(owner), text=""))
    Attachment.objects.all().delete()
    resolved = resolve(_asked(content), model)
    assert resolved.messages == _asked(
        [{"type": "text", "text": "[The file a.py is left out: it was deleted.]"}]
    )
    assert resolved.notes


def test_what_is_oldest_is_left_out_when_there_is_too_much(
    owner: User, model: LanguageModel, settings: Any
) -> None:
    settings.ATTACHMENTS_REQUEST_BYTES = 20
    contents = [_content(_send(owner, _attachment(owner), text="")) for _ in range(3)]
    texts = [str(message["content"]) for message in resolve(_asked(*contents), model).messages]
    assert ["more than 20 B" in text for text in texts] == [True, False, False]


def test_a_history_costs_one_query_and_none_without_attachments(
    owner: User, model: LanguageModel
) -> None:
    contents = [_content(_send(owner, _attachment(owner), _attachment(owner))) for _ in range(3)]
    for asked, queries in ((_asked("a", "b"), 0), (_asked(*contents), 1)):
        with CaptureQueriesContext(
            connection,
        ) as counted:
            resolve(asked, model)
        assert len(counted) == queries
