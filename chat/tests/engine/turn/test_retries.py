"""Trying a failed or stopped turn again: another attempt stands in its place."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from chat.commands import conversations, deletion
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.live.snapshot import snapshot
from chat.models import Conversation, LanguageModel, Preset, Turn
from chat.presentation.thread import thread
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import attempts, request, stop, wait_for

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


def again(turn: Turn, model: LanguageModel, text: str = "hello") -> Turn:
    """As *Try again* does it."""
    assert turn.question is not None
    return send_message(
        turn.user,
        NewMessage(
            key=str(uuid.uuid4()),
            text=text,
            model_id=model.public_id,
            conversation_id=turn.conversation.public_id,
            again=turn.question.public_id,
        ),
    )


def wire(turn: Turn) -> list[tuple[str, Any]]:
    sent = json.loads(request(attempts(turn)[-1]))["messages"]
    return [(message["role"], message["content"]) for message in sent]


def shown(conversation: Conversation) -> list[Turn]:
    return [view.turn for view in thread(conversation).turns]


@pytest.fixture
def failed(model: Model, send: Send) -> Turn:
    turn = answer_rings(send(model("stub-f401"), "hello"))
    assert turn.status == "failed"
    return turn


def test_the_question_is_sent_once(failed: Turn, model: Model) -> None:
    turn = answer_rings(again(failed, model("stub-n3")))
    assert turn.status == "done"
    assert wire(turn) == [("user", "hello")]


def test_the_thread_shows_the_newer_attempt_and_leads_to_the_earlier(
    failed: Turn, model: Model, client: Client
) -> None:
    second = answer_rings(again(failed, model("stub-f401")))
    third = answer_rings(again(second, model("stub-n3")))
    assert shown(failed.conversation) == [third]
    (view,) = thread(failed.conversation).turns
    assert list(view.earlier_tries) == [failed, second]
    client.force_login(failed.user)
    html = client.get(failed.conversation.get_absolute_url()).content.decode()
    assert failed.trace is not None
    assert html.count('id="message-') == 1
    assert f'href="{failed.trace.get_absolute_url()}"' in html
    assert client.get(failed.trace.get_absolute_url()).status_code == 200
    frame, _ = snapshot(failed.conversation)
    assert [turn["turn"] for turn in frame["turns"]] == [str(third.public_id)]


def test_the_next_question_follows_the_newer_attempt(
    failed: Turn, model: Model, send: Send
) -> None:
    answer_rings(again(failed, model("stub-n3")))
    turn = answer_rings(send(model("stub-n3"), "and now?", failed.conversation))
    assert [role for role, _ in wire(turn)] == ["user", "assistant", "user"]


def test_what_a_stopped_turn_had_said_is_not_sent_either(model: Model, send: Send) -> None:
    first = answer_rings(send(model("stub-n3"), "first"))
    stopped = send(model("stub-n3"), "hello", first.conversation)
    stop(stopped)
    answer_rings(stopped)
    # The worker's timer may have taken it on.
    wait_for(lambda: Turn.objects.get(pk=stopped.pk).status == "stopped")
    turn = answer_rings(again(stopped, model("stub-n3")))
    assert [role for role, _ in wire(turn)] == ["user", "assistant", "user"]
    assert wire(turn)[-1] == ("user", "hello")


def test_one_that_is_not_the_latest_is_a_new_question_and_roles_alternate(
    failed: Turn, model: Model, send: Send
) -> None:
    answer_rings(send(model("stub-f401"), "second", failed.conversation))
    turn = answer_rings(again(failed, model("stub-n3")))
    assert turn.retry_of is None
    assert wire(turn) == [("user", "hello\n\nsecond\n\nhello")]
    assert len(shown(failed.conversation)) == 3


def test_an_assistant_that_was_chosen_meanwhile_counts(failed: Turn, model: Model) -> None:
    preset = Preset.objects.create(name="Other", system_prompt="Be brief.", tools=[])
    conversation = Conversation.objects.get(pk=failed.conversation_id)
    conversations.choose_preset(conversation, preset)
    turn = answer_rings(again(failed, model("stub-n3")))
    assert wire(turn) == [("system", "Be brief."), ("user", "hello")]


def test_one_that_is_tried_again_is_not_tried_twice_at_once(failed: Turn, model: Model) -> None:
    again(failed, model("stub-n3"))
    with pytest.raises(Rejected, match="already"):
        again(failed, model("stub-n3"))


def test_the_same_key_gives_the_same_attempt(failed: Turn, model: Model) -> None:
    assert failed.question is not None
    message = NewMessage(
        key="once",
        text="hello",
        model_id=model("stub-n3").public_id,
        conversation_id=failed.conversation.public_id,
        again=failed.question.public_id,
    )
    assert send_message(failed.user, message) == send_message(failed.user, message)
    assert Turn.objects.filter(retry_of=failed).count() == 1


def test_a_message_that_was_tried_again_is_deleted_with_every_attempt(
    failed: Turn, model: Model
) -> None:
    turn = answer_rings(again(failed, model("stub-n3")))
    for one in (turn, failed):
        before = [row.pk for row in shown(failed.conversation)]
        deletion.delete(failed.user, one.public_id)
        assert shown(failed.conversation) == []
        assert not Turn.objects.filter(deleted=None).exists()
        (entry,) = Conversation.objects.get(pk=failed.conversation_id).deletions
        assert entry["messages"] == 1
        deletion.restore(failed.user, uuid.UUID(entry["turn"]))
        assert [row.pk for row in shown(failed.conversation)] == before
