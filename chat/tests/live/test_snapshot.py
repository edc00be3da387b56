"""What a page that comes in the middle of an answer is told."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.events import log
from chat.live.snapshot import snapshot
from chat.models import Preset
from chat.tests.builders import AConversation, a_user
from tracing.models import Span

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


def test_a_snapshot_has_what_is_left_of_the_wait_for_the_next_attempt(redis_server: object) -> None:
    conversation = AConversation(a_user())
    turn = conversation.turn(status="streaming")
    turn.round(failed_attempts=("503",))
    last = Span.objects.filter(trace=turn.trace, kind=Span.Kind.GENERATION).latest("id")
    at = timezone.now() + timedelta(seconds=30)
    last.status, last.retry_at = "failed", at
    last.save()
    attempt = snapshot(conversation.row)[0]["turns"][0]["attempt"]
    assert (attempt["round"], attempt["attempt"], attempt["state"]) == (1, 2, "failed")
    assert 25_000 < attempt["retry_in_ms"] <= 30_000


def test_a_snapshot_of_an_ended_turn_has_no_attempt(redis_server: object) -> None:
    conversation = AConversation(a_user())
    conversation.turn(answer="Yes.")
    assert snapshot(conversation.row)[0]["turns"][0]["attempt"] is None


@pytest.mark.parametrize("moment", range(6))
def test_a_turn_that_begins_while_the_snapshot_is_made_is_not_elsewhere(
    redis_server: object, moment: int
) -> None:
    conversation = AConversation(a_user())
    conversation.turn(answer="Yes.")
    executed = 0

    def begins(execute: Any, sql: str, *rest: Any) -> Any:
        nonlocal executed
        executed += 1
        if executed == moment + 1:
            conversation.turn(status="streaming")
        return execute(sql, *rest)

    with connection.execute_wrapper(begins):
        frame, _ = snapshot(conversation.row)
    assert executed > moment
    assert frame["elsewhere"] == []


def test_a_snapshot_has_the_list_as_it_is_now(redis_server: object) -> None:
    conversation = AConversation(a_user())
    items = [{"id": "1", "text": "one", "status": "pending"}]
    type(conversation.row).objects.filter(pk=conversation.row.pk).update(todos=items)
    assert snapshot(conversation.row)[0]["todos"] == items


def test_a_snapshot_has_the_name_of_the_assistant(redis_server: object) -> None:
    conversation = AConversation(a_user())
    assert snapshot(conversation.row)[0]["assistant"] == ""
    kind = Preset.objects.create(name="友好的助手")
    type(conversation.row).objects.filter(pk=conversation.row.pk).update(preset=kind)
    assert snapshot(conversation.row)[0]["assistant"] == "友好的助手"


def test_a_line_of_members_messages_takes_as_many_statements_as_one_message(
    redis_server: object,
) -> None:
    conversation = AConversation(a_user())
    conversation.turn(status="streaming")
    authors = [a_user(f"member {number}") for number in range(3)]
    waiting: dict[str, Any] = {"status": "queued", "wakeups": 0, "is_of_member": True}
    conversation.turn(author=authors[0], **waiting)
    with CaptureQueriesContext(connection) as one:
        snapshot(conversation.row)
    for author in authors[1:]:
        conversation.turn(author=author, **waiting)
    with CaptureQueriesContext(connection) as three:
        frame, _ = snapshot(conversation.row)
    assert len(three) == len(one)
    names = [turn["author"] for turn in frame["turns"]]
    assert names == [None, *(author.username for author in authors)]
