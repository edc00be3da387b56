"""Messages in line: edited, moved, withdrawn, sent now; in order, none lost and none twice."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import Stub
from chat.commands import deletion, queue
from chat.commands.alternatives import Edit
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.commands.stop import stop_turn
from chat.engine.context import history
from chat.engine.turn import claims
from chat.engine.turn.advance import advance
from chat.errors import Rejected
from chat.llm.messages import text_of
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from chat.turn_queue import line_of
from limits import chat as chat_limits

pytestmark = [pytest.mark.postgres, pytest.mark.long]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def running(model: Model, send: Send) -> Turn:
    """A turn that has begun: a process owns it."""
    turn = send(model("stub-r0-n5"), "running")
    assert claims.claim(turn.pk, "its owner") is not None
    return turn


@pytest.fixture
def line(running: Turn, model: Model, send: Send) -> list[Turn]:
    """Three messages behind it."""
    return [send(model("stub-r0-n5"), text, running.conversation) for text in ("a", "b", "c")]


def texts(conversation: Conversation) -> list[str]:
    """The messages in line, in order."""
    turns = line_of(conversation.pk)
    return [text_of(turn.question.body["content"]) for turn in turns if turn.question]


def let_run(conversation: Conversation) -> None:
    """What the workers do until nothing is left, without the owner that had the first turn."""
    Turn.objects.filter(conversation=conversation).update(owner="")
    for _ in range(20):
        turn = Turn.objects.begun().filter(conversation=conversation).first()
        if turn is None:
            return
        answer_rings(turn)
    raise AssertionError("the line does not come to an end")


def answered(conversation: Conversation) -> list[str]:
    """The questions of people along the shown branch, in the order of their messages."""
    rows = {row.pk: row for row in Message.objects.filter(conversation=conversation)}
    leaf = Turn.objects.leaf(conversation.pk).pk
    row = rows[Message.objects.filter(turn=leaf).latest("pk").pk]
    path = [row]
    while row.parent_id is not None:
        row = rows[row.parent_id]
        path.append(row)
    return [text_of(row.body["content"]) for row in reversed(path) if row.role == "user"]


def test_messages_wait_in_the_order_in_which_they_came(line: list[Turn], running: Turn) -> None:
    assert texts(running.conversation) == ["a", "b", "c"]
    let_run(running.conversation)
    assert answered(running.conversation) == ["running", "a", "b", "c"]


@pytest.mark.parametrize(
    ("moved", "before", "order"),
    [(2, 0, "cab"), (0, None, "bca"), (1, 0, "bac"), (1, None, "acb"), (0, 2, "bac")],
)
def test_a_message_moves(
    line: list[Turn], owner: User, running: Turn, moved: int, before: int | None, order: str
) -> None:
    place = None if before is None else line[before].public_id
    queue.move(owner, line[moved].public_id, place)
    assert "".join(texts(running.conversation)) == order
    let_run(running.conversation)
    assert answered(running.conversation) == ["running", *order]


def test_the_trace_of_a_moved_message_says_which_turn_it_follows(
    line: list[Turn], owner: User, running: Turn
) -> None:
    queue.move(owner, line[2].public_id, line[0].public_id)
    deletion.withdraw(owner, line[0].public_id)
    let_run(running.conversation)
    turns = Turn.objects.filter(deleted=None).select_related("trace", "parent").order_by("pk")
    follows = [turn.trace.attributes["parent"] for turn in turns if turn.trace]
    assert follows == [str(turn.parent.public_id) if turn.parent else None for turn in turns]
    assert follows[1:] == [str(turn.public_id) for turn in turns][:-1]


def test_a_message_that_moves_to_the_front_of_a_branch_has_the_system_prompt(
    model: Model, send: Send, owner: User
) -> None:
    answering = model("stub-r0-n5")
    answering.preset = Preset.objects.create(name="Brief", system_prompt="Be brief.", tools=[])
    answering.save()
    first = send(answering, "first")
    assert claims.claim(first.pk, "its owner") is not None
    assert first.question is not None
    conversation = first.conversation.public_id
    alternative = Edit(first.question.public_id)
    edited = send_message(owner, NewMessage("e", "edited", conversation, alternative=alternative))
    second = send(answering, "second", first.conversation)
    queue.move(owner, second.public_id, edited.public_id)
    let_run(first.conversation)
    assert answered(first.conversation) == ["second", "edited"]
    for turn in (edited, second):
        row = Turn.objects.for_journal(Turn.objects.get(public_id=turn.public_id).pk)
        assert history.read(row).messages[0] == {"role": "system", "content": "Be brief."}


def test_a_moved_message_is_still_that_of_its_key(
    line: list[Turn], owner: User, running: Turn
) -> None:
    queue.move(owner, line[2].public_id, line[0].public_id)
    again = send_message(
        owner,
        NewMessage(
            key=line[2].client_key, text="c", conversation_id=running.conversation.public_id
        ),
    )
    assert again.public_id == line[2].public_id
    assert texts(running.conversation) == ["c", "a", "b"]


def test_a_text_is_edited_in_its_place(
    line: list[Turn], owner: User, running: Turn, stub: Stub
) -> None:
    queue.edit(owner, line[0].public_id, "另一个问题")
    assert texts(running.conversation) == ["另一个问题", "b", "c"]
    names = Turn.objects.filter(public_id=line[0].public_id).values_list("trace__name", flat=True)
    assert names.get() == "另一个问题"
    let_run(running.conversation)
    assert "另一个问题" in answered(running.conversation)


def test_an_empty_text_is_refused(line: list[Turn], owner: User) -> None:
    with pytest.raises(Rejected, match="empty"):
        queue.edit(owner, line[0].public_id, "  ")


def test_a_message_whose_answer_has_begun_stays_as_it_is(
    line: list[Turn], owner: User, running: Turn
) -> None:
    for change in (
        lambda: queue.edit(owner, running.public_id, "too late"),
        lambda: queue.move(owner, running.public_id, None),
        lambda: queue.send_now(owner, running.public_id),
        lambda: queue.steer(owner, running.public_id),
        lambda: deletion.withdraw(owner, running.public_id),
    ):
        with pytest.raises(Rejected, match="has begun"):
            change()
    assert Turn.objects.get(pk=running.pk).stop_requested is None
    assert texts(running.conversation) == ["a", "b", "c"]


def test_sent_now_stops_the_running_one_and_the_others_stay_in_line(
    line: list[Turn], owner: User, running: Turn
) -> None:
    queue.send_now(owner, line[2].public_id)
    assert texts(running.conversation) == ["c", "a", "b"]
    running.refresh_from_db()
    assert running.stop_requested is not None
    let_run(running.conversation)
    assert answered(running.conversation) == ["running", "c", "a", "b"]


def test_a_withdrawn_message_is_not_answered_and_undo_brings_it_back_in_its_place(
    line: list[Turn], owner: User, running: Turn
) -> None:
    deletion.withdraw(owner, line[1].public_id)
    assert texts(running.conversation) == ["a", "c"]
    deletion.restore(owner, line[1].public_id)
    assert texts(running.conversation) == ["a", "b", "c"]
    deletion.withdraw(owner, line[0].public_id)
    let_run(running.conversation)
    assert answered(running.conversation) == ["running", "b", "c"]


def test_a_message_restored_late_is_the_last_one(
    line: list[Turn], owner: User, running: Turn
) -> None:
    deletion.withdraw(owner, line[0].public_id)
    let_run(running.conversation)
    deletion.restore(owner, line[0].public_id)
    let_run(running.conversation)
    assert answered(running.conversation) == ["running", "b", "c", "a"]


def test_a_withdrawn_message_that_is_sent_again_does_not_come_back(
    line: list[Turn], owner: User, running: Turn
) -> None:
    deletion.withdraw(owner, line[0].public_id)
    conversation = running.conversation.public_id
    send_message(owner, NewMessage(key=line[0].client_key, text="a", conversation_id=conversation))
    assert texts(running.conversation) == ["b", "c"]


def test_a_full_queue_refuses_with_a_sentence(
    line: list[Turn], running: Turn, model: Model, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "MAX_IN_LINE", 3)
    with pytest.raises(Rejected, match="3 messages are waiting"):
        send(model("stub-r0-n5"), "d", running.conversation)
    assert texts(running.conversation) == ["a", "b", "c"]
    assert chat_limits.MAX_IN_LINE == 100


def test_a_stopped_message_in_line_does_not_hold_up_the_others(
    line: list[Turn], owner: User, running: Turn
) -> None:
    assert stop_turn(owner, line[0].public_id)
    assert texts(running.conversation) == ["b", "c"]
    advance(line[0].pk)
    let_run(running.conversation)
    assert Turn.objects.filter(status=Turn.Status.DONE).count() == 3
