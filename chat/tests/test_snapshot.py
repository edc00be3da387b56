"""What a page that comes in the middle of an answer is told."""

import uuid

import pytest

from chat.events import log
from chat.events.snapshot import snapshot
from chat.tests.builders import AConversation, a_user

pytestmark = pytest.mark.django_db


def test_a_snapshot_has_the_running_text_and_its_complete_blocks(redis_server: object) -> None:
    conversation = AConversation(a_user())
    turn = conversation.turn(status="streaming")
    text = "# 三\n\n**b**\n\nnot yet"
    key = log.run_key(turn.row.public_id)
    log.client().hset(key, mapping={"generation": str(uuid.uuid4()), "epoch": 1, "round": 1})
    log.client().set(f"{key}:content", text)
    frame, _ = snapshot(conversation.row)
    running = frame["turns"][0]["running"]
    assert running["parts"]["content"] == text
    places = [
        (block["index"], block["start"], block["end"]) for block in running["blocks"]["content"]
    ]
    assert places == [(0, 0, 5), (1, 5, 12)]
    assert running["blocks"]["content"][1]["html"] == '<p dir="auto"><strong>b</strong></p>\n'
