import io
import json
import uuid
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Attachment, Feedback, Message
from chat.tests.builders import AConversation, ATurn, a_user
from chat.tests.transfer.trees import Growing
from chat.transfer import own_json
from limits.transfer import MAX_EXPORTED_CHOICE
from tests.responses import body_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> User:
    owner = a_user()
    client.force_login(owner)
    return owner


def answered(owner: User) -> AConversation:
    """A search with its result, and an answer."""
    conversation = AConversation(owner, "Quokkas / 短尾矮袋鼠")
    turn = conversation.turn("What is a *quokka*?")
    (call,) = turn.round("", (("web_search", {"query": "quokka"}),), reasoning_content="Look.")
    turn.end_call(call, "1. Quokka\n   https://quokka.example/about\n   A marsupial")
    turn.round("A marsupial.")
    return conversation


def body(client: Client, url: str, **query: Any) -> bytes:
    response = client.get(url, query)
    assert response.status_code == 200
    return body_of(response)


def exported(client: Client, conversation: AConversation, **query: Any) -> bytes:
    url = reverse("transfer:export", args=[conversation.row.public_id])
    return body(client, url, **query)


def test_markdown_has_questions_answers_calls_and_sources(client: Client, owner: User) -> None:
    text = exported(client, answered(owner), format="markdown").decode()
    assert text.startswith("# Quokkas / 短尾矮袋鼠\n")
    assert "## Question\n\nWhat is a *quokka*?\n" in text
    assert "<summary>Tool: web_search</summary>\n\n```json\n" in text
    assert "\nA marsupial.\n" in text
    assert "### Sources\n\n1. <https://quokka.example/about>\n" in text


def test_citations_are_links_in_markdown(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn("?")
    (call,) = turn.round("", (("fetch_page", {}),))
    page = {"number": 1, "title": "Quokka", "url": "https://quokka.example/"}
    place = {"number": 2, "title": "a.pdf, page 3", "url": "/files/text/1/#passage-1"}
    turn.end_call(call, "[1] Quokka", sources=[page, place])
    turn.round("Small [1], as said [2], `a[1]`.\n\n```\nb[1]\n```\nand [3] [1].")
    text = exported(client, conversation, format="markdown").decode()
    link = "[\\[1\\]](<https://quokka.example/>)"
    assert f"Small {link}, as said [2], `a[1]`.\n\n```\nb[1]\n```\nand [3] {link}." in text
    assert "### Sources\n\n1. Quokka <https://quokka.example/>\n2. a.pdf, page 3\n" in text


def test_a_code_block_in_a_result_stays_inside_its_fence(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn("?")
    (call,) = turn.round("", (("read", {}),))
    turn.end_call(call, "```\ncode\n```")
    turn.round("Done.")
    text = exported(client, conversation, format="markdown").decode()
    assert "````\n```\ncode\n```\n````" in text


def test_openai_lines_are_as_the_api_takes_them(client: Client, owner: User) -> None:
    (line,) = exported(client, answered(owner), format="openai").splitlines()
    messages = json.loads(line)["messages"]
    assert [one["role"] for one in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"]
    assert not any("reasoning_content" in one for one in messages)


def test_sharegpt_takes_turns(client: Client, owner: User) -> None:
    (example,) = json.loads(exported(client, answered(owner), format="sharegpt"))
    sides = [one["from"] for one in example["conversations"]]
    assert sides == ["human", "function_call", "observation", "gpt"]
    call = json.loads(example["conversations"][1]["value"])
    assert call == {"name": "web_search", "arguments": {"query": "quokka"}}


def test_a_conversation_without_an_answer_is_no_example(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("Hello?", status="failed")
    assert exported(client, conversation, format="openai") == b""
    assert json.loads(exported(client, conversation, format="sharegpt")) == []


def test_only_the_shown_branch_is_written_to_read(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    hidden: ATurn = conversation.turn("Old?", "Old.")
    hidden.row.is_shown = False
    hidden.row.save()
    conversation.turn("New?", "New.")
    text = exported(client, conversation, format="markdown").decode()
    assert "New." in text
    assert "Old." not in text
    assert len(json.loads(exported(client, conversation))["conversations"][0]["turns"]) == 2


def test_what_a_person_deleted_is_not_exported(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("Kept?", "Kept.")
    gone = conversation.turn("Gone?", "Gone.")
    gone.row.deleted, gone.row.is_shown = timezone.now(), False
    gone.row.save()
    Message.objects.filter(pk=gone.question.pk).update(turn=gone.row)
    text = exported(client, conversation, traces="1").decode()
    assert "Kept." in text
    assert "Gone" not in text


def test_a_note_that_was_put_into_a_turn_is_exported(client: Client, owner: User) -> None:
    conversation = answered(owner)
    turn = conversation.row.turns.get()
    body_of_note = {"role": "user", "content": "In short, please."}
    Message.objects.create(conversation=conversation.row, turn=turn, role="user", body=body_of_note)
    assert (
        "## Note\n\nIn short, please." in exported(client, conversation, format="markdown").decode()
    )


def test_several_conversations_as_markdown_are_a_zip(client: Client, owner: User) -> None:
    answered(owner)
    answered(owner)
    content = body(client, reverse("transfer:export_all"), format="markdown")
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert names == ["Quokkas-短尾矮袋鼠.md", "Quokkas-短尾矮袋鼠 (2).md"]


def test_chosen_conversations_are_exported_and_no_others(client: Client, owner: User) -> None:
    chosen, foreign = answered(owner), answered(a_user("other"))
    answered(owner)
    ids = [str(chosen.row.public_id), str(foreign.row.public_id), "nonsense"]
    document = json.loads(body(client, reverse("transfer:export_all"), ids=ids))
    assert [one["id"] for one in document["conversations"]] == [str(chosen.row.public_id)]


def test_who_asked_in_a_shared_conversation_is_exported(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("Mine?", "Yes.")
    conversation.turn("Theirs?", "Yes.", author=a_user("member"), is_of_member=True)
    turns = json.loads(exported(client, conversation))["conversations"][0]["turns"]
    assert [one["author"] for one in turns] == [None, "member"]


def test_as_many_may_be_chosen_as_the_limit_says(client: Client, owner: User) -> None:
    chosen = answered(owner)
    ids = [str(chosen.row.public_id), *(str(uuid.uuid4()) for _ in range(1_500))]
    reply: Any = client.post(reverse("transfer:export_all"), {"ids": ids, "format": "json"})
    assert reply.status_code == 200
    too_many = [str(uuid.uuid4()) for _ in range(MAX_EXPORTED_CHOICE + 1)]
    assert client.post(reverse("transfer:export_all"), {"ids": too_many}).status_code == 413


def test_traces_are_added_with_their_payloads(client: Client, owner: User) -> None:
    conversation = answered(owner)
    document = json.loads(exported(client, conversation, traces="1"))
    (trace,) = document["traces"]
    assert trace["form"] == "compact"
    assert trace["id"] == document["conversations"][0]["turns"][0]["trace"]


def test_feedback_is_exported(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn("?", "!")
    Feedback.objects.create(turn=turn.row, rating="down", note="不")
    document = json.loads(exported(client, conversation))
    feedback = document["conversations"][0]["turns"][0]["feedback"]
    assert (feedback["rating"], feedback["note"]) == ("down", "不")
    assert "👎 不" in exported(client, conversation, format="markdown").decode()


def test_an_unknown_format_is_refused_with_the_known_ones(client: Client, owner: User) -> None:
    reply = client.get(reverse("transfer:export_all"), {"format": "docx"})
    assert reply.status_code == 400
    assert "json, markdown, openai, sharegpt" in reply.content.decode()


def test_the_document_comes_in_parts_and_in_few_queries(
    owner: User, django_assert_max_num_queries: Any
) -> None:
    row = Growing(owner, 1).grow(300).row
    # Each attachment is read by a query of its own, so that one is in memory at a time.
    attachments = Attachment.objects.count()
    with django_assert_max_num_queries(20 + attachments):
        pieces = list(own_json.export([row.pk]))
    # Turns come with the head of their conversation, messages one by one.
    assert len(pieces) > 600
    assert sum(len(one) > 200_000 for one in pieces) == 0


def test_a_subagent_of_a_deleted_turn_is_not_exported(client: Client, owner: User) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn("x")
    (call,) = turn.round(calls=(("task", {}),))
    AConversation(owner, "Child", parent_call=call).turn("quokka")
    assert b"quokka" in exported(client, conversation)
    turn.row.deleted = timezone.now()
    turn.row.save()
    assert b"quokka" not in exported(client, conversation)
