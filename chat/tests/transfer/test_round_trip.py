"""Export, import, export: the same document, but for ids."""

import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.models import Attachment, Conversation, Message, Preset, Turn
from chat.tests.builders import AConversation, a_model, a_user
from chat.tests.transfer.trees import Growing
from chat.transfer import own_json, reading
from chat.transfer.storing import Known, is_stored, store
from limits.search import MAX_PINNED

pytestmark = [pytest.mark.django_db, pytest.mark.long]

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def exported(*rows: Conversation) -> str:
    return "".join(own_json.export([row.pk for row in rows]))


def imported(user: User, text: str) -> list[Conversation]:
    file = io.BytesIO(text.encode())
    known, files = Known.to(user), reading.AttachedFiles(file)
    rows = []
    for read in reading.conversations(file):
        assert read.plan is not None, read.problem
        row = store(user, read.plan, known, files)
        assert row is not None
        rows.append(row)
    return rows


def comparable(text: str) -> Any:
    """The document with ids as numbers in the order in which they occur."""
    numbers: dict[str, str] = {}
    named = UUID.sub(lambda match: numbers.setdefault(match[0], f"id {len(numbers)}"), text)
    document = json.loads(named)
    for one in document["attachments"]:
        del one["created"]
    return {**document, "exported": ""}


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 9))
def test_what_is_exported_and_imported_is_exported_the_same(seed: int, turns: int) -> None:
    owner = User.objects.get_or_create(username="owner")[0]
    other = User.objects.get_or_create(username="other")[0]
    first = exported(Growing(owner, seed).grow(turns).row)
    Conversation.objects.filter(owner=other).delete()
    (copy,) = imported(other, first)
    assert comparable(exported(copy)) == comparable(first)


def test_models_and_assistants_are_found_by_their_names() -> None:
    owner, model = a_user(), a_model("qwen")
    row = Growing(owner, 1, model).grow(2).row
    (copy,) = imported(a_user("other"), exported(row))
    assert copy.model == model
    assert {one.model for one in copy.turns.all()} == {model}


def test_of_two_assistants_of_one_name_the_own_one_is_found() -> None:
    owner = a_user()
    own = Preset.objects.create(name="Zoologist", owner=owner)
    Preset.objects.create(name="Zoologist", published=True)
    assert Known.to(owner).assistant("Zoologist") == own.pk


def test_a_copy_is_pinned_as_long_as_there_is_room() -> None:
    other = a_user("other")
    text = exported(Growing(a_user(), 1).grow(1).row)
    for _ in range(MAX_PINNED):
        AConversation(other, pinned=timezone.now())
    (copy,) = imported(other, text)
    assert copy.pinned is None


def test_the_copy_has_its_own_attachments() -> None:
    owner, other = a_user(), a_user("other")
    row = next(
        grown.row
        for seed in range(50)
        if Attachment.objects.filter(
            message__conversation=(grown := Growing(owner, seed).grow(3)).row
        )
    )
    imported(other, exported(row))
    assert Attachment.objects.filter(owner=other).exists()
    own = {
        str(one)
        for one in Attachment.objects.filter(owner=other).values_list("public_id", flat=True)
    }
    bodies = json.dumps([one.body for one in Message.objects.filter(conversation__owner=other)])
    assert set(re.findall(r"attachment:([0-9a-f-]{36})", bodies)) == own


def test_a_reference_to_an_attachment_of_somebody_else_reaches_nothing() -> None:
    owner, other = a_user(), a_user("other")
    secret = Attachment.objects.create(
        owner=owner, name="secret.txt", media_type="text/plain", size=1, content=b"x"
    )
    text = exported(Growing(other, 3).grow(1).row)
    document = json.loads(text)
    Conversation.objects.filter(owner=other).delete()
    url = f"attachment:{secret.public_id}"
    part = {"type": "image_url", "image_url": {"url": url}, "attachment": {"name": "a"}}
    document["conversations"][0]["messages"][1]["body"]["content"] = [part]
    (copy,) = imported(other, json.dumps(document))
    assert str(secret.public_id) not in json.dumps([one.body for one in copy.messages.all()])


def test_what_is_here_already_is_not_stored_twice() -> None:
    owner, other = a_user(), a_user("other")
    text = exported(Growing(owner, 1).grow(1).row)
    (plan,) = [read.plan for read in reading.conversations(io.BytesIO(text.encode()))]
    assert plan is not None
    assert is_stored(owner, plan)
    assert not is_stored(other, plan)
    imported(other, text)
    assert is_stored(other, plan)


def test_a_turn_that_still_ran_is_stopped_in_the_copy() -> None:
    owner = a_user()
    row = Growing(owner, 1).grow(1).row
    Turn.objects.filter(conversation=row).update(status="queued")
    (copy,) = imported(a_user("other"), exported(row))
    assert [one.status for one in copy.turns.all()] == ["stopped"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"parent": "nowhere"}, "is not in the file"),
        ({"question": "nowhere"}, "is not in the file"),
        ({"is_shown": False, "status": "done"}, ""),
        ({"error": 5}, "“error” is no text but int"),
        ({"id": None}, "has no “id”"),
    ],
)
def test_a_broken_turn_is_refused_with_a_sentence(change: dict[str, Any], sentence: str) -> None:
    document = json.loads(exported(Growing(a_user(), 1).grow(2).row))
    document["conversations"][0]["turns"][0] |= change
    (read,) = reading.conversations(io.BytesIO(json.dumps(document).encode()))
    assert sentence in read.problem


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"reasoning_content": 5}, "“reasoning_content” is no text but int."),
        ({"sources": 5}, "“sources” is no list of objects."),
        ({"content": 5}, "is neither text nor a list of parts"),
    ],
)
def test_a_message_that_no_page_could_show_is_refused(change: Any, sentence: str) -> None:
    document = json.loads(exported(Growing(a_user(), 1).grow(1).row))
    document["conversations"][0]["messages"][-1]["body"] |= change
    (read,) = reading.conversations(io.BytesIO(json.dumps(document).encode()))
    assert sentence in read.problem


def test_what_a_person_wrote_into_a_file_can_be_stored_and_opened(client: Client) -> None:
    other = a_user("other")
    document = json.loads(exported(Growing(a_user(), 1).grow(1).row))
    (conversation,) = document["conversations"]
    conversation["turns"][0] |= {
        "error": "nul \0, lone \ud83d",
        "ceiling": "\0",
        "status": "failed",
    }
    conversation |= {"title": "\0", "todos": [{}, {"text": "x", "status": "soon"}]}
    (copy,) = imported(other, json.dumps(document))
    client.force_login(other)
    assert client.get(copy.get_absolute_url()).status_code == 200
