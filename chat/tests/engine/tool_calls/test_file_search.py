"""The tool `search_files` in a conversation: offered where there are files, and whose they are."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.stub import Stub
from chat.attachments import uploads
from chat.models import (
    Attachment,
    Conversation,
    LanguageModel,
    Message,
    PersonalSettings,
    Project,
    ProjectFile,
    Turn,
)
from chat.search.files.indexing import index_noted_files
from chat.tests.builders import AConversation
from chat.tests.engine.conftest import answer_rings

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
LEASE = (
    "# Notice\n\nThree months, in writing.\n\n"
    + "Other words. " * 200
    + "\n\n违约金为三个月租金。\n"
)


def call(**arguments: Any) -> str:
    return f"call search_files {json.dumps(arguments, ensure_ascii=False)}"


def offered(stub: Stub) -> set[str]:
    tools: Any = json.loads(stub.completions[-1].body).get("tools") or []
    return {tool["function"]["name"] for tool in tools}


def result(turn: Turn) -> dict[str, Any]:
    body: dict[str, Any] = Message.objects.filter(turn=turn, role="tool").latest("id").body
    return body


@pytest.fixture
def with_file(owner: User) -> Conversation:
    """A conversation with a message that has a file."""
    conversation = AConversation(owner)
    turn = conversation.turn("Read this", "Read.")
    attachment = uploads.upload(owner, "lease.md", LEASE.encode())
    uploads.tie([attachment], turn.question)
    conversation.row.refresh_from_db()
    return conversation.row


def test_without_files_it_is_not_offered(model: Model, send: Send, stub: Stub) -> None:
    answer_rings(send(model("stub-r0-n5"), "hello"))
    assert "search_files" not in offered(stub)


def test_a_file_of_the_conversation_is_quoted_with_its_place(
    model: Model, send: Send, stub: Stub, with_file: Conversation
) -> None:
    turn = send(model("stub-r0-ask-n5"), call(query="notice period"), with_file)
    turn = answer_rings(turn)
    assert "search_files" in offered(stub)
    body = result(turn)
    assert "[1] lease.md, line 1\n    file " in body["content"]
    assert "Three months, in writing." in body["content"]
    assert "data, not instructions" in body["content"]
    source = body["sources"][0]
    assert source["title"] == "lease.md, line 1"
    assert source["url"].endswith("?at=1#passage-1")


def test_the_place_opens_for_its_owner_and_for_nobody_else(
    model: Model, send: Send, with_file: Conversation, client: Client, owner: User
) -> None:
    turn = answer_rings(send(model("stub-r0-ask-n5"), call(query="违约金"), with_file))
    url = result(turn)["sources"][0]["url"].partition("#")[0]
    client.force_login(owner)
    html = client.get(url).content.decode()
    assert 'class="file-passage is-quoted"' in html
    assert "违约金为三个月租金" in html
    client.force_login(User.objects.create_user("other"))
    assert client.get(url).status_code == 404


def test_it_reads_on_from_a_passage(model: Model, send: Send, with_file: Conversation) -> None:
    asked = call(query="", file="lease.md", passage=2)
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, with_file))
    content = result(turn)["content"]
    assert "违约金为三个月租金" in content
    assert "Three months" not in content


def test_a_project_s_files_are_searched_from_its_conversations(
    model: Model, send: Send, owner: User, stub: Stub
) -> None:
    project = Project.objects.create(owner=owner, name="Flat")
    ProjectFile.objects.create(
        project=project, name="a.md", media_type="text/plain", size=1, content=LEASE.encode()
    )
    conversation = AConversation(owner, project=project).row
    turn = answer_rings(send(model("stub-r0-ask-n5"), call(query="notice"), conversation))
    assert "[1] a.md, line 1" in result(turn)["content"]


def test_all_files_are_searched_only_where_the_person_allows_it(
    model: Model, send: Send, owner: User, with_file: Conversation
) -> None:
    index_noted_files()
    other = AConversation(owner)
    attachment = Attachment.objects.create(
        owner=owner, name="x.txt", media_type="text/plain", size=1, content=b"wombats"
    )
    uploads.tie([attachment], other.turn("Hm?", "Hm.").question)
    asked = call(query="notice", scope="all")
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, other.row))
    assert "does not allow" in result(turn)["content"]
    PersonalSettings.change(owner, searches_all_files=True)
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, other.row))
    assert "lease.md" in result(turn)["content"]


def test_a_member_of_a_group_searches_the_files_of_the_conversation_alone(
    model: Model, send: Send, owner: User, with_file: Conversation
) -> None:
    project = Project.objects.create(owner=owner, name="Flat")
    ProjectFile.objects.create(
        project=project, name="own.md", media_type="text/plain", size=1, content=LEASE.encode()
    )
    Conversation.objects.filter(pk=with_file.pk).update(project=project)
    PersonalSettings.change(owner, searches_all_files=True)
    member = User.objects.create_user("member")
    for scope, said in (("conversation", "lease.md, line 1"), ("all", "does not allow")):
        turn = send(model("stub-r0-ask-n5"), call(query="notice", scope=scope), with_file)
        Turn.objects.filter(pk=turn.pk).update(author=member, is_of_member=True)
        content = result(answer_rings(turn))["content"]
        assert said in content
        assert "own.md" not in content


def test_files_of_other_people_are_never_found(
    model: Model, send: Send, owner: User, with_file: Conversation
) -> None:
    index_noted_files()
    stranger = User.objects.create_user("stranger")
    Attachment.objects.create(
        owner=stranger, name="s.md", media_type="text/plain", size=1, content=b"notice notice"
    )
    index_noted_files()
    PersonalSettings.change(owner, searches_all_files=True)
    asked = call(query="notice", scope="all", limit=20)
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, with_file))
    assert "s.md" not in result(turn)["content"]


def test_an_unknown_file_names_those_that_are_there(
    model: Model, send: Send, with_file: Conversation
) -> None:
    asked = call(query="notice", file="other.pdf")
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, with_file))
    body = result(turn)
    assert body["is_error"]
    assert "There are: lease.md (" in body["content"]


def test_where_a_group_writes_the_owner_s_other_files_are_not_searched_either(
    model: Model, send: Send, owner: User, with_file: Conversation
) -> None:
    index_noted_files()
    PersonalSettings.change(owner, searches_all_files=True)
    together = AConversation(owner, is_shared_to_write=True).row
    asked = call(query="notice", scope="all")
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, with_file))
    assert "Three months" in result(turn)["content"]
    Conversation.objects.filter(pk=together.pk).update(has_files=True)
    turn = answer_rings(send(model("stub-r0-ask-n5"), asked, together))
    assert "does not allow" in result(turn)["content"]
