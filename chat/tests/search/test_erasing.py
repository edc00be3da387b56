"""Words of deleted traces, conversations and files leave the indexes of SQLite."""

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.commands import conversations
from chat.models import Conversation
from chat.search.indexing import index_noted
from chat.tests.builders import AConversation
from db.tests.test_sqlite_files import kept, words
from tracing.models import DeletedWords
from tracing.retention.erasing import erase_deleted
from tracing.search.index import write

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="about the files of SQLite"),
]


@pytest.fixture(autouse=True)
def nothing_noted() -> None:
    """Emptying the tables after a test notes what was deleted."""
    DeletedWords.objects.all().delete()


def noted() -> set[str]:
    return set(DeletedWords.objects.values_list("index", flat=True))


def test_a_deleted_conversation_is_in_no_index() -> None:
    (text,) = words(1)
    conversation = AConversation(User.objects.create_user("owner"), f"On {text}")
    trace = conversation.turn(f"What of {text}?", f"Of {text} nothing.").trace
    write({trace.pk: text})
    index_noted()
    conversations.delete(Conversation.objects.all())
    assert noted() == {"chat_words", "tracing_words"}
    erase_deleted()
    assert (kept([text]), noted()) == ([], set())


def test_what_is_written_notes_nothing() -> None:
    AConversation(User.objects.create_user("owner")).turn("Hello?", "Hi.")
    index_noted()
    assert noted() == set()
