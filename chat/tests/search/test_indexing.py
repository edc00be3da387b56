"""What is noted, indexed and forgotten, by whatever statement it is written."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.commands import conversations
from chat.models import Attachment, Conversation, Message, UnindexedText
from chat.search import index, triggers
from chat.search.indexing import count_unindexed, index_noted, index_some
from chat.search.texts import SearchedText
from chat.tests.builders import AConversation
from limits.search import MAX_INDEXED_TEXTS
from tracing.models import Archive

pytestmark = pytest.mark.postgres

Found = Callable[..., list[str]]


def test_a_message_is_found_when_it_is_indexed(owner: User, found: Found) -> None:
    AConversation(owner, "Zoo").turn("Where do quokkas live?", "On Rottnest Island.")
    assert found("quokkas") == found("rottnest") == ["Zoo"]
    assert count_unindexed() == 0


def test_messages_of_a_bulk_write_are_found(owner: User, found: Found) -> None:
    conversation = AConversation(owner, "Imported")
    rows = [
        Message(
            conversation=conversation.row,
            turn=conversation.turn("x").row,
            role="assistant",
            body={"role": "assistant", "content": f"platypus {n}"},
        )
        for n in range(3)
    ]
    Message.objects.bulk_create(rows)
    assert found("platypus") == ["Imported"]


def test_results_of_tools_and_prompts_are_not_noted(owner: User, found: Found) -> None:
    conversation = AConversation(owner, "Zoo")
    for role in ("system", "tool"):
        body = {"role": role, "content": "echidna"}
        Message.objects.create(conversation=conversation.row, role=role, body=body)
    assert found("echidna") == []


def test_a_new_title_replaces_the_old_one(owner: User, found: Found) -> None:
    conversation = AConversation(owner, "Before")
    assert found("before") == ["Before"]
    conversations.rename(conversation.row, "After")
    assert found("before") == []
    assert found("after") == ["After"]


def test_a_title_that_changes_while_it_is_indexed_is_indexed_again(owner: User) -> None:
    conversation = AConversation(owner, "Before")
    Conversation.objects.filter(pk=conversation.row.pk).update(title="After")
    assert UnindexedText.objects.filter(key=-conversation.row.pk).count() == 2


def test_names_of_attachments_are_found(owner: User, found: Found) -> None:
    turn = AConversation(owner, "Zoo").turn("See the file")
    Attachment.objects.create(
        owner=owner,
        message=turn.question,
        name="budget-2026.csv",
        media_type="text/csv",
        size=1,
        content=b"1",
    )
    assert found("budget 2026") == ["Zoo"]


def test_what_is_deleted_has_no_words_any_more(owner: User, found: Found) -> None:
    conversation = AConversation(owner, "Zoo")
    conversation.turn("quokka", "wombat")
    index_noted()
    conversation.turn("not indexed yet")
    Conversation.objects.filter(pk=conversation.row.pk).delete()
    assert _words() == 0
    assert count_unindexed() == 0
    assert found("quokka") == []


def test_a_single_deleted_message_has_no_words_any_more(owner: User, found: Found) -> None:
    turn = AConversation(owner, "Zoo").turn("quokka", "wombat")
    index_noted()
    turn.row.messages.all().delete()
    assert found("wombat") == []
    assert found("quokka") == ["Zoo"]


def test_deleting_a_user_deletes_the_words(owner: User) -> None:
    AConversation(owner, "Zoo").turn("quokka", "wombat")
    index_noted()
    Archive.objects.filter(owner=owner).delete()
    assert _words() == 0


def test_a_conversation_of_a_subagent_is_not_searched(owner: User, found: Found) -> None:
    (call,) = AConversation(owner, "Parent").turn("x").round(calls=(("task", {}),))
    AConversation(owner, "Child", parent_call=call).turn("quokka", "wombat")
    assert found("quokka") == found("child") == []
    assert count_unindexed() == 0


def test_a_transaction_indexes_a_bounded_number_of_texts(owner: User) -> None:
    conversation = AConversation(owner)
    rows = [
        Message(conversation=conversation.row, role="user", body={"content": f"text {n}"})
        for n in range(MAX_INDEXED_TEXTS + 5)
    ]
    Message.objects.bulk_create(rows)
    assert index_some() == 1  # titles first
    assert index_some() == MAX_INDEXED_TEXTS
    assert index_some() == 5
    assert index_some() == 0


def test_a_message_that_goes_while_it_is_indexed_leaves_no_words(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = AConversation(owner).turn("quokka")
    index_some()
    make = index.rows_of

    def delete_meanwhile(texts: Mapping[int, SearchedText]) -> list[index.Row]:
        rows = make(texts)
        Message.objects.filter(pk=turn.question.pk).delete()
        return rows

    monkeypatch.setattr(index, "rows_of", delete_meanwhile)
    index_noted()
    assert _words() == 1  # the title


def test_triggers_are_made_anew_where_they_are_missing(owner: User, found: Found) -> None:
    triggers.remove(connection)
    AConversation(owner, "Unnoted")
    assert UnindexedText.objects.count() == 0
    triggers.install(connection)
    triggers.install(connection)
    AConversation(owner, "Noted")
    assert found("noted") == ["Noted"]


def test_writing_a_message_costs_no_statement_more(
    owner: User, django_assert_num_queries: Any
) -> None:
    conversation = AConversation(owner).row
    with django_assert_num_queries(1):
        Message.objects.insert(conversation=conversation, role="user", body={"content": "x"})


def _words() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM chat_words")
        return int(cursor.fetchone()[0])
