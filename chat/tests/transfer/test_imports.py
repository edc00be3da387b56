"""Uploading, previewing and importing, with the worker's part run by hand."""

import base64
import io
import json
import struct
import time
import tracemalloc
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from chat.attachments.references import references
from chat.errors import Rejected
from chat.models import Attachment, Conversation, Import, Message, Origin, Tag
from chat.tests.builders import a_user
from chat.tests.images import png
from chat.tests.transfer import files
from chat.tests.transfer.trees import Growing
from chat.transfer import import_runner, imports, json_scanner, own_json, spooling, storing
from chat.transfer.errors import BrokenFile
from limits.chat import MAX_IMAGE_BYTES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
PNG = png()
MANY_FILES = "The zip has too many files. Pack the conversations alone."


@pytest.fixture
def owner() -> User:
    return a_user()


def uploaded(owner: User, content: bytes, name: str = "conversations.json") -> Import:
    """An upload with its preview."""
    row = imports.upload(owner, name, len(content), io.BytesIO(content))
    import_runner.run(row.pk)
    row.refresh_from_db()
    return row


def begun(row: Import, *, skips_broken: bool = False) -> Import:
    assert imports.begin(row, skips_broken=skips_broken)
    import_runner.run(row.pk)
    row.refresh_from_db()
    return row


def document(*values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode()


def test_the_preview_counts_and_writes_nothing(owner: User) -> None:
    row = uploaded(owner, document(files.chatgpt(), files.chatgpt(conversation_id="2", title="B")))
    assert row.is_previewed
    found = {name: row.found[name] for name in ("conversations", "messages", "branched", "broken")}
    assert found == {"conversations": 2, "messages": 16, "branched": 2, "broken": 0}
    assert row.found["titles"] == ["Tables", "B"]
    assert row.found["products"] == {"ChatGPT": 2}
    assert not Conversation.objects.exists()


def test_an_import_writes_what_the_preview_found(owner: User) -> None:
    row = begun(uploaded(owner, document(files.chatgpt(), files.claude())))
    assert (row.state, row.imported, row.repeated) == ("succeeded", 2, 0)
    titles = Conversation.objects.for_user(owner).order_by("pk").values_list("title", flat=True)
    assert list(titles) == ["Tables", "Quokkas"]
    assert not spooling.path_of(row.public_id).exists()


def test_the_same_file_twice_says_so_and_doubles_nothing(owner: User) -> None:
    begun(uploaded(owner, document(files.chatgpt())))
    row = uploaded(owner, document(files.chatgpt(), files.claude()))
    assert (row.found["repeated"], row.found["conversations"]) == (1, 1)
    assert (begun(row).imported, row.repeated) == (1, 1)
    assert Conversation.objects.count() == 2


def test_another_person_may_import_the_same_file(owner: User) -> None:
    begun(uploaded(owner, document(files.chatgpt())))
    assert begun(uploaded(a_user("other"), document(files.chatgpt()))).imported == 1


def test_a_file_with_a_broken_conversation_imports_nothing_by_halves(owner: User) -> None:
    row = uploaded(owner, document(files.chatgpt(), {"mapping": 5}))
    assert row.found["broken"] == 1
    assert row.found["problems"] == ["Conversation 2: “mapping” is no object."]
    failed = begun(row)
    assert (failed.state, failed.error) == ("failed", "Conversation 2: “mapping” is no object.")
    assert not Conversation.objects.exists()
    assert not Origin.objects.exists()


def test_broken_conversations_are_left_out_if_the_person_says_so(owner: User) -> None:
    row = begun(uploaded(owner, document({"mapping": 5}, files.chatgpt())), skips_broken=True)
    assert (row.state, row.imported) == ("succeeded", 1)


def test_a_file_that_ends_too_early_is_refused_with_a_sentence(owner: User) -> None:
    row = uploaded(owner, document(files.chatgpt(), files.chatgpt(conversation_id="2"))[:-90])
    assert row.state == "failed"
    assert row.error == "The file ends in the middle of a value. Download it again."


def test_a_file_without_conversations_is_refused(owner: User) -> None:
    assert uploaded(owner, b"[]").error == "The file has no conversations."


def test_the_conversations_of_a_zip_are_found(owner: User) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations-000.json", document(files.chatgpt()))
        archive.writestr("conversations-001.json", document(files.chatgpt(conversation_id="2")))
    assert uploaded(owner, target.getvalue(), "export.zip").found["conversations"] == 2


def test_the_images_of_questions_come_along_in_a_zip_of_chatgpt(owner: User) -> None:
    shown = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_0a1b"}
    missing = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Gone"}
    content = {"content_type": "multimodal_text", "parts": [shown, missing, "What is this?"]}
    about = {"id": "file_0a1b", "name": "图.png", "mime_type": "image/png", "size": len(PNG)}
    question = files.chatgpt_node(
        "q1", "root", "user", content=content, metadata={"attachments": [about]}
    )
    conversation = files.chatgpt()
    conversation["mapping"]["q1"] = question
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", document(conversation))
        archive.writestr("user-1/file_0a1b-sanitized.png", PNG)
        archive.writestr("file_0a1b.html", "no image")
        archive.writestr("chat.png", PNG)
    row = uploaded(owner, target.getvalue(), "export.zip")
    assert row.found["attachments"] == 1
    assert row.found["left_out"] == {"images": 1}
    begun(row)
    attachment = Attachment.objects.get()
    assert bytes(attachment.content) == PNG
    assert attachment.owner == owner
    asked = [
        one for one in Message.objects.filter(role="user") if isinstance(one.body["content"], list)
    ]
    found = [list(references([one.body])) for one in asked]
    # One for each of the two answers.
    assert [one.id for each in found for one in each] == [attachment.public_id] * 2
    assert found[0][0].name == "图.png"


DATA_URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
SHOWN = {"type": "image_url", "image_url": {"url": DATA_URL}}
ELSEWHERE = {"type": "image_url", "image_url": {"url": "https://zoo.example/a.png"}}
WORDS = {"type": "text", "text": "What is this?"}


def with_image_of_open_webui() -> Any:
    value = files.open_webui()
    shown = [{"type": "image", "url": DATA_URL}, {"type": "file", "name": "a.pdf", "url": "/1"}]
    value["chat"]["history"]["messages"]["u1"] |= {"files": shown}
    return value


@pytest.mark.parametrize(
    ("value", "left_out"),
    [
        ([{"role": "user", "content": [WORDS, SHOWN, ELSEWHERE]}], {"images": 1}),
        ([{"role": "user", "content": [{"text": "What?"}, {"image": DATA_URL}]}], {}),
        ([with_image_of_open_webui()], {"attached files": 1}),
    ],
)
def test_images_that_a_file_has_in_itself_come_along(
    owner: User, value: Any, left_out: dict[str, int]
) -> None:
    row = uploaded(owner, json.dumps(value).encode())
    assert (row.found["attachments"], row.found["left_out"]) == (1, left_out)
    begun(row)
    attachment = Attachment.objects.get()
    assert (bytes(attachment.content), attachment.owner) == (PNG, owner)
    bodies = [one.body for one in Message.objects.filter(role="user").order_by("pk")]
    assert [one.id for one in references(bodies)][:1] == [attachment.public_id]


def test_what_is_called_an_image_and_is_none_is_left_out(owner: User) -> None:
    url = f"data:image/png;base64,{base64.b64encode(b'<script>').decode()}"
    parts = [WORDS, {"type": "image_url", "image_url": {"url": url}}]
    row = uploaded(owner, json.dumps([{"role": "user", "content": parts}]).encode())
    assert (row.found["attachments"], row.found["left_out"]) == (0, {"images": 1})


def test_a_zip_bomb_is_refused_while_it_is_unpacked(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooling, "MAX_IMPORT_BYTES", 2_000_000)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 10_000_000 + b"]")
    row = uploaded(owner, target.getvalue())
    assert row.error.startswith("The file has more than 2.0 MB, unpacked. Split it")
    assert list(spooling.folder().iterdir()) == []


def test_a_file_above_the_limit_is_refused_and_not_kept(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooling, "MAX_IMPORT_BYTES", 100)
    with pytest.raises(BrokenFile, match="more than 100 B"):
        imports.upload(owner, "a", 0, io.BytesIO(b"x" * 101))
    assert list(spooling.folder().iterdir()) == []


def test_a_damaged_zip_is_refused_with_a_sentence(owner: User) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("conversations.json", document(files.chatgpt()))
    damaged = bytearray(target.getvalue())
    damaged[60:90] = bytes(30)
    assert uploaded(owner, bytes(damaged)).error.startswith("The zip is damaged or encrypted")


def zipped(content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("conversations.json", content)
    return target.getvalue()


def test_damaged_compression_is_refused_with_a_sentence(owner: User) -> None:
    damaged = bytearray(zipped(document(files.chatgpt())))
    damaged[60:90] = b"\xff" * 30
    assert uploaded(owner, bytes(damaged)).error.startswith("The zip is damaged or encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_without_a_bound_of_memory_is_refused(owner: User, method: int) -> None:
    row = uploaded(owner, zipped(document(files.chatgpt()), method))
    assert "another method than Deflate" in row.error


def test_a_zip_with_a_long_directory_is_refused_before_it_is_read(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = zipped(document(files.chatgpt()))
    to_zip64 = b"PK\6\7" + bytes(16)
    assert uploaded(owner, content[:-22] + to_zip64 + content[-22:]).error == MANY_FILES
    monkeypatch.setattr(spooling, "MAX_ZIP_DIRECTORY_BYTES", 50)
    assert uploaded(owner, content).error == MANY_FILES
    with_comment = content[:-2] + b"\2\0hi"
    assert uploaded(owner, with_comment).error == MANY_FILES


def test_an_image_that_unpacks_to_more_than_it_says_takes_no_memory(owner: User) -> None:
    length = 200_000_003
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("conversations.json", document(files.chatgpt()))
        archive.writestr("file_0a1b.png", bytes(length))
    lying = target.getvalue().replace(struct.pack("<L", length), struct.pack("<L", 100))
    tracemalloc.start()
    try:
        row = uploaded(owner, lying)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert row.error.startswith("The zip is damaged or encrypted")
    assert peak < 4 * MAX_IMAGE_BYTES


def test_tags_of_an_import_that_is_undone_are_forgotten(owner: User) -> None:
    value = json.loads("".join(own_json.export([Growing(a_user("other"), 1).grow(1).row.pk])))
    row = begun(uploaded(owner, json.dumps(value).encode()))
    assert Tag.objects.for_user(owner).exists()
    imports.undo(row)
    assert not Tag.objects.for_user(owner).exists()


def test_an_import_that_is_cut_is_undone(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    row = uploaded(owner, document(files.chatgpt(), files.claude()))
    kept = storing.store

    def once(*arguments: Any) -> Any:
        if Conversation.objects.exists():
            raise OSError("the disk is gone")
        return kept(*arguments)

    monkeypatch.setattr(import_runner, "store", once)
    assert begun(row).state == "failed"
    assert not Conversation.objects.exists()


def test_what_a_worker_that_is_gone_had_written_is_deleted(owner: User) -> None:
    row = begun(uploaded(owner, document(files.chatgpt())))
    Import.objects.filter(pk=row.pk).update(state="failed")
    imports.undo_unfinished()
    assert not Conversation.objects.exists()


def test_an_import_stops_when_it_is_asked_to(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_runner, "REPORT_S", 0)
    row = uploaded(owner, document(files.chatgpt(), files.claude()))
    monkeypatch.setattr(time, "sleep", lambda _: imports.cancel(row))
    assert begun(row).state == "stopped"
    assert not Conversation.objects.exists()


def test_of_two_tabs_that_begin_an_import_one_does(owner: User) -> None:
    row = uploaded(owner, document(files.chatgpt()))
    assert imports.begin(row, skips_broken=False)
    assert not imports.begin(row, skips_broken=False)


def test_a_second_upload_waits_for_the_first(owner: User) -> None:
    imports.upload(owner, "a", 2, io.BytesIO(b"[]"))
    with pytest.raises(Rejected, match="Another import is under way"):
        imports.upload(owner, "b", 2, io.BytesIO(b"[]"))


def test_memory_is_bounded_by_one_conversation(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    kept = json_scanner.Scanner._more

    def counted(scanner: json_scanner.Scanner) -> bool:
        more = kept(scanner)
        read.append(len(scanner._window))
        return more

    monkeypatch.setattr(json_scanner.Scanner, "_more", counted)
    monkeypatch.setattr(json_scanner, "_WINDOW", 4096)
    many = [files.chatgpt(conversation_id=str(n)) for n in range(50)]
    assert uploaded(owner, document(*many)).found["conversations"] == 50
    assert max(read) <= 2 * 4096


def test_imported_turns_are_shown_without_traces(owner: User, client: Client) -> None:
    begun(uploaded(owner, document(files.chatgpt())))
    row = Conversation.objects.get()
    client.force_login(owner)
    page = client.get(row.get_absolute_url())
    assert page.status_code == 200
    assert "These." in page.content.decode()
    assert "Three." not in page.content.decode()
    assert row.turns.filter(trace=None).count() == 3


def test_system_messages_begin_the_tree(owner: User) -> None:
    begun(uploaded(owner, json.dumps(files.qwen_agent()).encode()))
    first = Message.objects.order_by("pk").first()
    assert first is not None
    assert (first.role, first.turn, first.parent) == ("system", None, None)


def test_uploading_by_a_script_answers_with_the_address_of_the_preview(
    owner: User, client: Client
) -> None:
    client.force_login(owner)
    file = SimpleUploadedFile("c.json", document(files.chatgpt()))
    reply = client.post(
        reverse("transfer:upload"), {"file": file}, headers={"X-Requested-With": "fetch"}
    )
    row = Import.objects.get()
    assert reply.status_code == 201
    assert reply.json()["url"] == reverse("transfer:import", args=[row.public_id])


def test_the_page_shows_the_preview_and_imports(owner: User, client: Client) -> None:
    client.force_login(owner)
    row = uploaded(owner, document(files.chatgpt()))
    page = client.get(reverse("transfer:import", args=[row.public_id])).content.decode()
    assert "Import 1 conversation" in page
    client.post(reverse("transfer:import_begin", args=[row.public_id]))
    import_runner.run(row.pk)
    page = client.get(reverse("transfer:import_status", args=[row.public_id])).content.decode()
    assert "1 conversation is imported." in page


def test_the_uploaded_file_can_be_removed(owner: User, client: Client) -> None:
    client.force_login(owner)
    row = uploaded(owner, document(files.chatgpt()))
    client.post(reverse("transfer:import_cancel", args=[row.public_id]))
    assert not Import.objects.exists()
    assert not spooling.path_of(row.public_id).exists()
