"""What sending a message costs: statements, and calls of Redis."""

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.doorbell import TurnRing
from chat.events.log import client, log_key
from chat.models import Message, Turn
from chat.tests.builders import AConversation, a_model, a_user
from jobs.ring import TURN_RINGS
from tests.redis_server import RedisServer


@pytest.fixture
def sender(transactional_db: None, redis_server: RedisServer) -> User:
    a_model(is_default=True)
    user = a_user()
    send(user)  # what is compiled once, and the script, are there
    client().delete(TURN_RINGS)
    return user


def send(user: User, conversation: uuid.UUID | None = None) -> Turn:
    return send_message(user, NewMessage(str(uuid.uuid4()), "hello", conversation))


def statements(user: User, conversation: uuid.UUID | None = None) -> int:
    with CaptureQueriesContext(connection) as queries:
        send(user, conversation)
    return len(queries)


def test_a_first_message_takes_ten_statements(sender: User) -> None:
    assert statements(sender) <= 10


def test_a_later_message_takes_twelve_statements_and_one_that_waits_in_line_thirteen(
    sender: User,
) -> None:
    conversation = AConversation(sender)
    turn = conversation.turn(status="done")
    Message.objects.filter(pk=turn.question.pk).update(turn=turn.row)
    assert statements(sender, conversation.row.public_id) <= 12
    assert statements(sender, conversation.row.public_id) <= 13


def test_the_event_and_the_ring_are_one_call_of_redis(sender: User) -> None:
    before = calls_of_scripts()
    turn = send(sender)
    assert calls_of_scripts() == before + 1
    entries: Any = client().xrange(log_key(turn.conversation.public_id))
    assert [json.loads(fields[b"e"])["type"] for _, fields in entries] == ["turn"]
    rings: Any = client().lrange(TURN_RINGS, 0, -1)
    assert [TurnRing.decode(ring)[:2] for ring in rings] == [(turn.pk, sender.pk)]


def calls_of_scripts() -> int:
    stats: Any = client().info("commandstats")
    return int(stats["cmdstat_evalsha"]["calls"])
