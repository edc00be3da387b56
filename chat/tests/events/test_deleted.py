"""What Redis keeps of deleted conversations."""

import uuid

import pytest
from django.contrib.auth.models import User

from chat import events
from chat.commands import conversations
from chat.events.log import client, log_key
from chat.events.scripts import Run, RunAppend, append, run_keys
from chat.models import Conversation
from chat.own_data.deleting import delete_all
from chat.tests.builders import AConversation
from limits.web import MAX_DELETED_LOG_S, MAX_LOG_S

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(redis_server: object) -> Conversation:
    row = AConversation(User.objects.create_user("owner")).row
    events.emit(row.public_id, {"type": "conversation", "title": "Rivers"})
    return row


def seconds_left(conversation: Conversation) -> int:
    left: int = client().ttl(log_key(conversation.public_id))
    return left


def test_a_log_is_kept_for_a_while(conversation: Conversation) -> None:
    assert MAX_DELETED_LOG_S < seconds_left(conversation) <= MAX_LOG_S


def test_the_log_of_a_deleted_conversation_expires_soon(conversation: Conversation) -> None:
    conversations.delete(Conversation.objects.filter(pk=conversation.pk))
    assert 0 < seconds_left(conversation) <= MAX_DELETED_LOG_S


def test_logs_of_a_deleted_account_expire_soon(conversation: Conversation) -> None:
    delete_all(conversation.owner)
    assert 0 < seconds_left(conversation) <= MAX_DELETED_LOG_S


@pytest.mark.parametrize("with_account", [False, True])
def test_the_running_text_of_what_is_deleted_goes_at_once(
    redis_server: object, with_account: bool
) -> None:
    conversation = AConversation(User.objects.create_user("owner"))
    turn = conversation.turn("Where?", status="streaming").row
    append([RunAppend(Run(turn.public_id, uuid.uuid4(), epoch=1, round=1))])
    assert client().exists(*run_keys(turn.public_id))
    if with_account:
        delete_all(conversation.row.owner)
    else:
        conversations.delete(Conversation.objects.filter(pk=conversation.row.pk))
    assert not client().exists(*run_keys(turn.public_id))
