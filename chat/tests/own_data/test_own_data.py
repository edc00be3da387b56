"""The archive of everything of a person, and the deletion of their account."""

import io
import json
import zipfile
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from audit.models import Event
from chat import workspaces
from chat.commands.group_sharing import share
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import AccountDeletion, Attachment, Conversation, DataArchive, Feedback, Import
from chat.own_data import archives, deletion, rows
from chat.search.files.indexing import index_noted_files
from chat.tests.builders import AConversation, a_model, a_user
from chat.tests.engine.turn.test_queue_races import together
from chat.transfer import reading
from tests.access import rows as access_rows
from tracing.models import Metric

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
NAME = "quokka-7d1e"


def everything(user: User) -> AConversation:
    """A row of everything that is a person's."""
    a_model()
    conversation = AConversation(user, f"Title of {NAME}")
    turn = conversation.turn(f"Question of {NAME}")
    (call,) = turn.round(f"Answer for {NAME}", (("walk", {}),))
    Feedback.objects.create(turn=turn.row, rating="up", note=NAME)
    access_rows._of_tools(user)
    access_rows._traces(turn.trace, call)
    Attachment.objects.create(
        owner=user, name=f"{NAME}.txt", media_type="text/plain", size=1, content=b"x"
    )
    Import.objects.create(user=user, name=NAME, size=1, state="succeeded")
    Event.objects.create(action="signed_in", actor=user, actor_name=user.get_username())
    Metric.objects.create(
        period="ever", hour="2025-01-01T00:00Z", kind="user", name=str(user.pk), count=1
    )
    folder = workspaces.folder(conversation.row.public_id)
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text(NAME)
    return conversation


@pytest.fixture(autouse=True)
def workspace_folder(settings: Any, tmp_path: Any) -> None:
    settings.WORKSPACES = tmp_path / "workspaces"


@pytest.fixture
def owner() -> User:
    return a_user(NAME)


def archived(user: User) -> zipfile.ZipFile:
    row = archives.ask(user)
    archives.run(row.pk)
    return zipfile.ZipFile(archives.path_of(row.public_id))


def deleted(user: User) -> AccountDeletion:
    row = deletion.ask(user)
    deletion.run(row.pk)
    row.refresh_from_db()
    return row


def test_the_archive_has_everything_and_can_be_imported_again(owner: User) -> None:
    everything(owner)
    archive = archived(owner)
    text = archive.read("conversations.json")
    (read,) = reading.conversations(io.BytesIO(text))
    assert read.plan is not None
    assert read.plan.title == f"Title of {NAME}"
    assert json.loads(text)["traces"]
    names = archive.namelist()
    assert any(one.startswith("files/") and one.endswith("/notes.txt") for one in names)
    assert any(one.startswith("uploads/") for one in names)
    assert json.loads(archive.read("account.json"))["username"] == NAME


def test_the_archive_has_no_secret_and_nothing_of_others(owner: User) -> None:
    everything(owner)
    other = AConversation(a_user("other"), "Foreign")
    other.turn("Foreign question", "Foreign answer")
    archive = archived(owner)
    whole = b"".join(archive.read(name) for name in archive.namelist())
    assert access_rows.CANARY.encode() not in whole
    assert b"Foreign" not in whole


def test_the_link_expires(owner: User, client: Client) -> None:
    client.force_login(owner)
    archived(owner)
    row = DataArchive.objects.get()
    url = reverse("data:archive", args=[row.public_id])
    assert client.get(url).status_code == 200
    DataArchive.objects.update(expires="2020-01-01T00:00Z")
    assert client.get(url).status_code == 404
    archives.sweep()
    assert not archives.path_of(row.public_id).exists()


def test_the_archive_of_somebody_else_is_not_there(owner: User, client: Client) -> None:
    archived(owner)
    client.force_login(a_user("other"))
    url = reverse("data:archive", args=[DataArchive.objects.get().public_id])
    assert client.get(url).status_code == 404


def test_the_archive_has_what_one_wrote_elsewhere(owner: User) -> None:
    sent = written_elsewhere(owner)
    archive = archived(owner)
    assert f"Question of {NAME}" in archive.read("elsewhere.jsonl").decode()
    assert archive.read(f"elsewhere/{sent.pk}-{NAME}.txt") == b"x"


def written_elsewhere(user: User) -> Attachment:
    """A message with a file in a conversation of somebody else; the file as it was sent."""
    host, group = a_user("host"), Group.objects.create(name="Quokkas")
    group.user_set.add(host, user)
    model = a_model("of-the-host")
    conversation = AConversation(host, "Shared", model=model)
    share(host, conversation.row, group.pk, to_write=True)
    file = Attachment.objects.create(
        owner=user, name=f"{NAME}.txt", media_type="text/plain", size=1, content=b"x"
    )
    message = NewMessage(
        key="k",
        text=f"Question of {NAME}",
        conversation_id=conversation.row.public_id,
        model_id=model.public_id,
        attachment_ids=[file.public_id],
    )
    turn = send_message(user, message)
    return Attachment.objects.get(message=turn.question)


def test_asking_again_replaces_the_archive(owner: User) -> None:
    archived(owner)
    before = DataArchive.objects.get()
    archived(owner)
    assert DataArchive.objects.count() == 1
    assert not archives.path_of(before.public_id).exists()


def test_no_table_has_a_row_of_a_person_who_deleted_the_account(owner: User) -> None:
    conversation = everything(owner)
    key = owner.pk
    deleted(owner)
    left = [
        f"{model._meta.label}.{name}"
        for model, name in rows.references()
        if model._default_manager.filter(**{f"{name}_id": key}).exists()
    ]
    assert left == []
    assert not User.objects.filter(pk=key).exists()
    assert tables_with(NAME) == []
    assert not workspaces.folder(conversation.row.public_id).exists()


def tables_with(text: str) -> list[str]:
    """The columns of all tables in which a text occurs."""
    found = []
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            for field in model._meta.concrete_fields:
                table, column = model._meta.db_table, field.column
                cursor.execute(
                    f'SELECT count(*) FROM "{table}" WHERE CAST("{column}" AS text) LIKE %s',
                    [f"%{text}%"],
                )
                if cursor.fetchone()[0]:
                    found.append(f"{table}.{column}")
    return found


def test_the_receipt_counts_what_went(owner: User) -> None:
    everything(owner)
    receipt = deleted(owner)
    assert receipt.user is None
    assert receipt.state == "succeeded"
    counted = {name: receipt.counts[name] for name in ("conversations", "traces", "attachments")}
    assert counted == {"conversations": 1, "traces": 1, "attachments": 1}
    assert receipt.counts["messages"] == 2
    assert receipt.counts["files"] == 1
    assert receipt.counts["payload_bytes"] > 0
    assert receipt.counts["sign_in_entries"] == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL does it by itself")
def test_a_deletion_ends_in_storage(owner: User) -> None:
    everything(owner)
    assert list(deleted(owner).steps) == ["words", "copies", "log"]


def test_a_deletion_that_failed_in_storage_goes_on(owner: User) -> None:
    row = deleted(owner)
    AccountDeletion.objects.update(state="failed", steps={})
    deletion.go_on()
    deletion.run(row.pk)
    assert AccountDeletion.objects.get().state == "succeeded"


def test_attempts_to_sign_in_go_however_the_name_was_typed(owner: User) -> None:
    entries = Event.objects
    for typed in (NAME.upper(), NAME, f"{NAME}-other"):
        entries.create(action="sign_in_failed", actor_name=typed)
    deleted(owner)
    assert [one.actor_name for one in entries.filter(action="sign_in_failed")] == [f"{NAME}-other"]


@pytest.mark.parametrize("at_once", [False, True])
def test_an_admin_who_deletes_a_user_leaves_no_file_and_takes_none_from_others(
    owner: User, admin_client: Client, at_once: bool
) -> None:
    conversation = everything(owner)
    sent = written_elsewhere(owner)
    if at_once:
        chosen = {"action": "delete_selected", "_selected_action": [owner.pk], "post": "yes"}
        response = admin_client.post("/admin/auth/user/", chosen)
    else:
        response = admin_client.post(f"/admin/auth/user/{owner.pk}/delete/", {"post": "yes"})
    assert response.status_code == 302
    assert not User.objects.filter(username=NAME).exists()
    assert not workspaces.folder(conversation.row.public_id).exists()
    sent.refresh_from_db()
    index_noted_files()
    assert sent.owner.username == sent.searched.owner.username == "host"


def test_others_keep_everything(owner: User) -> None:
    everything(owner)
    other = AConversation(a_user("other"))
    other.turn("Hello?", "Hi.")
    deleted(owner)
    assert Conversation.objects.get().messages.count() == 2


def test_a_deletion_goes_on_where_a_worker_died(owner: User) -> None:
    everything(owner)
    row = deletion.ask(owner)
    AccountDeletion.objects.update(state="running", changed="2020-01-01T00:00Z")
    deletion.go_on()
    deletion.run(row.pk)
    assert AccountDeletion.objects.get().state == "succeeded"
    assert not User.objects.filter(username=NAME).exists()


def test_the_last_admin_stays(client: Client) -> None:
    admin = User.objects.create_superuser("admin")
    client.force_login(admin)
    reply = client.post(reverse("data:delete_account"), {"name": "admin"})
    assert "You are the only admin." in reply.content.decode()
    assert User.objects.get().is_active


@pytest.mark.postgres
def test_of_two_admins_who_leave_at_once_one_stays() -> None:
    admins = [User.objects.create_superuser(name) for name in ("first", "second")]
    assert together(*(partial(deletion.ask, one) for one in admins)) == []
    assert User.objects.filter(is_active=True).count() == 1


def test_the_name_is_typed_and_everybody_is_signed_out(client: Client, owner: User) -> None:
    client.force_login(owner)
    url = reverse("data:delete_account")
    assert client.post(url, {"name": "quokka"}).status_code == 422
    reply = client.post(url, {"name": NAME})
    row = AccountDeletion.objects.get()
    assert reply.headers["Location"] == reverse("data:receipt", args=[row.public_id])
    assert client.get(reverse("settings:index")).status_code == 302
    assert "is being deleted" in client.get(reply.headers["Location"]).content.decode()
    deletion.run(row.pk)
    page = client.get(reply.headers["Location"]).content.decode()
    assert "The account and all its data are deleted." in page
    assert NAME not in page


def test_the_settings_have_the_section(client: Client, owner: User) -> None:
    client.force_login(owner)
    page = client.get(reverse("settings:index")).content.decode()
    for words in ("Export conversations", "Import conversations", "Make an archive"):
        assert words in page
