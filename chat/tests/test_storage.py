"""What a user keeps, and what is refused when that is too much, or the disk nearly full."""

import html
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from chat import storage, workspaces
from chat.agent import skill_folders
from chat.attachments import uploads
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.files import workspace_sizes
from chat.models import (
    Attachment,
    CassetteFile,
    Conversation,
    LanguageModel,
    Playground,
    Preset,
    Turn,
)
from chat.tests.builders import AConversation, a_model, a_user
from chat.tests.cassettes.test_builtin import a_document

pytestmark = pytest.mark.django_db

NO_ROOM = "There is no room for "
DISK_FULL = "The server's disk is nearly full, so nothing was kept."


@pytest.fixture(autouse=True)
def own_places(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WORKSPACES = tmp_path / "workspaces"
    monkeypatch.setattr(storage, "_cache", {})


@pytest.fixture
def model() -> LanguageModel:
    return a_model(is_default=True)


@pytest.fixture
def conversation() -> Conversation:
    return AConversation(a_user()).row


@pytest.fixture
def page(client: Client, conversation: Conversation) -> Client:
    """The owner's browser."""
    client.force_login(conversation.owner)
    return client


@pytest.fixture
def full_disk(settings: Settings) -> None:
    settings.SANDBOX_LIMITS = {"disk_free_bytes": 2**50}


def write(conversation: Conversation, size: int) -> Path:
    folder = workspaces.folder(conversation.public_id)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "large").write_bytes(bytes(size))
    return folder


def upload(page: Client, conversation: Conversation, size: int) -> Any:
    file = SimpleUploadedFile("a.txt", b"1" * size)
    return page.post(f"{conversation.get_absolute_url()}files/upload", {"file": file})


def attach(page: Client, size: int) -> Any:
    return page.post("/attachments/", {"file": SimpleUploadedFile("a.txt", b"1" * size)})


def send(conversation: Conversation, text: str = "hello", **more: Any) -> Turn:
    return send_message(conversation.owner, NewMessage(key=str(uuid.uuid4()), text=text, **more))


def test_messages_attachments_and_files_count(
    conversation: Conversation, model: LanguageModel
) -> None:
    owner = conversation.owner
    send(conversation, "a" * 5_000)
    uploads.upload(owner, "a.txt", b"1" * 700)
    write(conversation, 40_000)
    workspace_sizes.count(conversation.public_id)
    kept = storage.usage(owner.pk)
    assert 5_000 <= kept.messages < 5_200
    assert (kept.attachments, kept.files) == (700, 40_960)
    assert storage.usage(a_user("other").pk).total == 0


def test_what_does_not_fit_is_refused_with_what_is_kept_and_what_to_delete(
    page: Client, conversation: Conversation, settings: Settings
) -> None:
    settings.USER_STORAGE_BYTES = 10_000
    assert attach(page, 8_000).status_code == 201
    refused = attach(page, 4_000)
    assert refused.status_code == 400
    assert refused.json()["error"] == (
        "There is no room for 4.0 KB. You keep 8.0 KB; the limit is 10.0 KB. Files of "
        "conversations have 0 B, attachments 8.0 KB, messages 0 B, assistants and playgrounds 0 B, "
        "uploaded skills and cassettes 0 B, projects 0 B. Delete what you no longer need, and try "
        "again."
    )
    assert Attachment.objects.count() == 1


def test_files_of_a_workspace_count_at_once_and_no_more_when_they_are_removed(
    page: Client, conversation: Conversation, settings: Settings
) -> None:
    settings.USER_STORAGE_BYTES = 10_000
    assert upload(page, conversation, 9_000).status_code == 201
    refused = upload(page, conversation, 2_000)
    assert refused.json()["error"].startswith(NO_ROOM)
    page.post(f"{conversation.get_absolute_url()}files/remove?path=a.txt")
    assert upload(page, conversation, 2_000).status_code == 201


def test_who_keeps_too_much_sends_no_message(
    conversation: Conversation, model: LanguageModel, settings: Settings
) -> None:
    settings.USER_STORAGE_BYTES = 1_000
    uploads.upload(conversation.owner, "a.txt", b"1" * 1_000)
    with pytest.raises(Rejected, match=r"There is no room for 5 B\. You keep 1.0 KB"):
        send(conversation)
    assert not Turn.objects.exists()


def test_assistants_and_playgrounds_count(page: Client, conversation: Conversation) -> None:
    owner = conversation.owner
    lists = {"tools_mode": "all", "servers_mode": "all", "skills_mode": "all"}
    written = {"name": "Mine", "system_prompt": "a" * 5_000, **lists}
    assert page.post("/assistants/new", written).status_code == 302
    page.post("/playground/new")
    playground = Playground.objects.get()
    page.post(f"{playground.get_absolute_url()}draft", {"draft": "b" * 3_000})
    assert 8_000 <= storage.usage(owner.pk).texts < 8_200


def test_who_keeps_too_much_makes_no_assistant_and_no_playground(
    page: Client, conversation: Conversation, settings: Settings
) -> None:
    settings.USER_STORAGE_BYTES = 1_000
    uploads.upload(conversation.owner, "a.txt", b"1" * 1_000)
    lists = {"tools_mode": "all", "servers_mode": "all", "skills_mode": "all"}
    refused = page.post("/assistants/new", {"name": "Mine", "system_prompt": "a", **lists})
    text = '{"roundtrip": {"preset": 1}, "name": "Mine", "system_prompt": "a"}'
    imported = page.post("/assistants/import", {"text": text})
    page.post("/playground/new")
    for answer in (refused, imported):
        assert NO_ROOM in html.unescape(answer.content.decode())
    assert not Preset.objects.filter(owner=conversation.owner).exists()
    assert not Playground.objects.exists()


def test_skills_and_cassettes_count_for_who_uploaded_them(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.HOME = tmp_path
    admin = a_user("admin", is_staff=True, is_superuser=True)
    client.force_login(admin)
    text = b"---\nname: counted\ndescription: b\n---\n" + b"a" * 5_000
    skill = SimpleUploadedFile("SKILL.md", text)
    client.post("/skills/add", {"folder": "1", "files": skill, "path": "counted/SKILL.md"})
    assert storage.usage(admin.pk).uploads == len(text)
    recorded = a_document()
    settings.USER_STORAGE_BYTES = len(text) + len(recorded)
    cassette = SimpleUploadedFile("c.json", recorded)
    client.post("/providers/cassettes/new", {"file": cassette, "name": "Counted"})
    assert storage.usage(admin.pk).uploads == len(text) + len(recorded)
    more = SimpleUploadedFile("c.json", recorded)
    refused = client.post("/providers/cassettes/new", {"file": more, "name": "More"})
    assert NO_ROOM in html.unescape(refused.content.decode())
    assert CassetteFile.objects.count() == 1


def test_without_a_limit_nothing_is_counted(
    conversation: Conversation, settings: Settings, django_assert_num_queries: Any
) -> None:
    settings.USER_STORAGE_BYTES = 0
    assert storage.limit_of(conversation.owner.pk) is None  # and the rules are read
    with django_assert_num_queries(0):
        storage.check(conversation.owner.pk, 10**15)


@pytest.mark.usefixtures("full_disk")
def test_nothing_is_uploaded_to_a_disk_that_is_nearly_full(
    page: Client, conversation: Conversation
) -> None:
    for refused in (attach(page, 10), upload(page, conversation, 10)):
        assert refused.json()["error"].startswith(DISK_FULL)
    assert not Attachment.objects.exists()
    assert not workspaces.folder(conversation.public_id).exists()


@pytest.mark.usefixtures("full_disk")
def test_no_skill_or_cassette_comes_to_a_disk_that_is_nearly_full(client: Client) -> None:
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    skill = SimpleUploadedFile("SKILL.md", b"---\nname: a\ndescription: b\n---\nText")
    cassette = SimpleUploadedFile("c.json", b"{}")
    answers = [
        client.post("/skills/add", {"folder": "1", "files": skill, "path": "a/SKILL.md"}),
        client.post("/providers/cassettes/new", {"file": cassette}),
    ]
    assert all("disk is nearly full" in answer.content.decode() for answer in answers)
    assert not list(skill_folders.uploads().glob("*"))
    assert not CassetteFile.objects.exists()


def test_no_message_with_attachments_is_stored_on_a_disk_that_is_nearly_full(
    conversation: Conversation, model: LanguageModel, settings: Settings
) -> None:
    attached = uploads.upload(conversation.owner, "a.txt", b"1")
    settings.SANDBOX_LIMITS = {"disk_free_bytes": 2**50}
    with pytest.raises(Rejected, match=DISK_FULL):
        send(conversation, attachment_ids=[attached.public_id])
    assert not Turn.objects.exists()
    assert send(conversation).question is not None
