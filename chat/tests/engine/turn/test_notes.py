"""Notes: messages that are put into a running turn before its next model call."""

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import Stub
from chat.agent.alternation import GOES_ON
from chat.attachments import uploads
from chat.commands import deletion, queue
from chat.commands.compact import compact_conversation
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.commands.stop import stop_turn
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import LanguageModel, Message, SearchedFile, Turn
from chat.search.files.indexing import index_noted_files
from chat.tests.engine.conftest import answer_rings
from chat.turn_queue import line_of
from tracing.models import Action, Span

pytestmark = pytest.mark.long
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
LONG = "a line that says something of some length. " * 12


@pytest.fixture
def running(model: Model, send: Send) -> Turn:
    """A turn that waits for the calls of its first round."""
    turn = send(model("stub-r0-t2-n5"), "running")
    advance(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.WAITING
    return turn


@pytest.fixture
def note(running: Turn, model: Model, send: Send, owner: User) -> Turn:
    turn = send(model("stub-r0-n5"), "shorter, please", running.conversation)
    queue.steer(owner, turn.public_id)
    return turn


def roles(turn: Turn) -> list[str]:
    return list(Message.objects.filter(turn=turn).order_by("id").values_list("role", flat=True))


def sent(stub: Stub) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = json.loads(stub.completions[-1].body)["messages"]
    return messages


def test_a_note_goes_between_the_results_and_the_next_answer(
    note: Turn, running: Turn, stub: Stub
) -> None:
    assert note.question is not None
    public_id = note.question.public_id
    assert answer_rings(running).status == Turn.Status.DONE
    assert roles(running)[:6] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    last = sent(stub)[3:6]
    assert [message["role"] for message in last] == ["tool", "assistant", "user"]
    assert [message["content"] for message in last[1:]] == [GOES_ON, "shorter, please"]
    assert line_of(running.conversation_id) == []
    assert Message.objects.get(public_id=public_id).turn == running


def test_the_trace_says_into_which_round_it_went(note: Turn, running: Turn) -> None:
    answer_rings(running)
    action = Action.objects.get(trace=running.trace, kind="note")
    assert action.span == Span.objects.get(trace=running.trace, kind="round", number=2)


def test_it_says_so_after_a_summary_that_came_first(model: Model, send: Send, owner: User) -> None:
    earlier = answer_rings(send(model("stub-r0-n5"), LONG))
    for _ in range(3):
        answer_rings(send(model("stub-r0-n5"), LONG, earlier.conversation))
    turn = send(model("stub-r0-t2-n5"), "running", earlier.conversation)
    advance(turn.pk)
    note = send(model("stub-r0-n5"), "shorter, please", turn.conversation)
    queue.steer(owner, note.public_id)
    compact_conversation(owner, turn.conversation, key="summary")
    assert answer_rings(turn).status == Turn.Status.DONE
    assert Span.objects.filter(trace=turn.trace, kind=Span.Kind.COMPACTION).exists()
    action = Action.objects.get(trace=turn.trace, kind="note")
    assert action.span == Span.objects.get(trace=turn.trace, kind="round", number=2)


def test_a_note_that_is_sent_again_goes_in_once(note: Turn, running: Turn, owner: User) -> None:
    answer_rings(running)
    conversation = running.conversation.public_id
    message = NewMessage(key=note.client_key, text="shorter", conversation_id=conversation)
    assert send_message(owner, message).public_id == note.public_id
    assert Message.objects.filter(conversation=running.conversation, role="user").count() == 2


def test_a_withdrawn_note_does_not_go_in(note: Turn, running: Turn, owner: User) -> None:
    deletion.withdraw(owner, note.public_id)
    answer_rings(running)
    assert "user" not in roles(running)[1:]


def test_notes_go_in_in_order_before_the_messages_that_wait(
    note: Turn, running: Turn, model: Model, send: Send, owner: User
) -> None:
    waiting = send(model("stub-r0-n5"), "later", running.conversation)
    second = send(model("stub-r0-n5"), "in Chinese", running.conversation)
    queue.steer(owner, second.public_id)
    answer_rings(running)
    said = Message.objects.filter(turn=running, role="user").order_by("id")
    assert [row.body["content"] for row in said][1:] == ["shorter, please", "in Chinese"]
    waiting = Turn.objects.get(public_id=waiting.public_id)
    assert waiting.parent == running
    assert answer_rings(waiting).status == Turn.Status.DONE


def test_the_file_of_a_note_is_not_searched_after_its_turn_was_deleted(
    running: Turn, owner: User
) -> None:
    attachment = uploads.upload(owner, "a.txt", b"Quokkas live on islands.")
    conversation, ids = running.conversation.public_id, [attachment.public_id]
    message = NewMessage("n", "see", conversation, attachment_ids=ids, is_note=True)
    send_message(owner, message)
    answer_rings(running)
    index_noted_files()
    assert SearchedFile.objects.for_user(owner).count() == 1
    deletion.delete(owner, running.public_id)
    assert not SearchedFile.objects.for_user(owner).exists()


def test_a_note_whose_turn_ends_before_is_the_next_message(
    note: Turn, running: Turn, model: Model, send: Send, owner: User
) -> None:
    send(model("stub-r0-n5"), "later", running.conversation)
    stop_turn(owner, running.public_id)
    assert answer_rings(running).status == Turn.Status.STOPPED
    note = Turn.objects.get(public_id=note.public_id)
    assert (note.wakeups, note.steers) == (1, None)
    assert answer_rings(note).status == Turn.Status.DONE


def test_a_message_is_sent_as_a_note_at_once(running: Turn, owner: User) -> None:
    conversation = running.conversation.public_id
    message = NewMessage(key="n", text="quick", conversation_id=conversation, is_note=True)
    assert send_message(owner, message).steers == running
    answer_rings(running)
    assert roles(running).count("user") == 2


def test_without_a_running_turn_it_is_a_message_like_any_other(
    model: Model, send: Send, owner: User
) -> None:
    first = answer_rings(send(model("stub-r0-n5")))
    conversation = first.conversation.public_id
    message = NewMessage(key="n", text="quick", conversation_id=conversation, is_note=True)
    turn = send_message(owner, message)
    assert (turn.steers, turn.wakeups) == (None, 1)


def test_a_call_that_is_executed_now_still_ends_before_the_note(note: Turn, running: Turn) -> None:
    approved = Span.objects.filter(trace=running.trace, status=Span.Status.APPROVED)
    for call in approved.values_list("pk", flat=True):
        execute(call)
    advance(running.pk)
    assert roles(running) == ["user", "assistant", "tool", "tool", "user", "assistant"]
