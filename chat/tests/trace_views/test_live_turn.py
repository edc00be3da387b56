"""What the trace page of a running turn is told of what is being said."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.events import log
from chat.tests.builders import AConversation, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def speaking(redis_server: object) -> AConversation:
    conversation = AConversation(a_user())
    turn = conversation.turn(status="streaming")
    key = log.run_key(turn.row.public_id)
    log.client().hset(key, mapping={"generation": str(uuid.uuid4()), "epoch": 1, "round": 2})
    log.client().set(f"{key}:content", "三张")
    return conversation


def address(conversation: AConversation) -> str:
    return f"/turns/{conversation.row.turns.get().public_id}/running"


def test_staff_hear_what_anothers_turn_is_saying(speaking: AConversation, client: Client) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True, is_superuser=True))
    running = client.get(address(speaking)).json()["running"]
    assert (running["round"], running["content"], running["reasoning"]) == (2, "三张", "")


def test_whoever_may_not_see_the_trace_hears_nothing(
    speaking: AConversation, client: Client
) -> None:
    client.force_login(User.objects.create_user("another"))
    assert client.get(address(speaking)).status_code == 404


def test_a_turn_that_is_over_says_nothing(redis_server: object, client: Client) -> None:
    conversation = AConversation(a_user())
    conversation.turn(answer="Yes.")
    client.force_login(conversation.row.owner)
    assert client.get(address(conversation)).json() == {"running": None}
