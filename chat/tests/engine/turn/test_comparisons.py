"""Several answers to one question at the same time, and the choice of the one to go on with."""

import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.utils import timezone

from chat.attachments import uploads
from chat.commands import branches, compact, comparisons, deletion, queue, temporary
from chat.commands.alternatives import Edit
from chat.commands.comparisons import Compared
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.context import history
from chat.engine.tool_calls import policies, proposals
from chat.engine.turn.advance import advance
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Preset, Turn
from chat.tests.builders import AConversation
from chat.tests.engine.conftest import answer_rings
from db.threads import in_database
from limits.chat import MAX_TEMPORARY_ABSENCE
from tests import patience
from tools.values.tool import Tool
from tracing.models import Span

pytestmark = pytest.mark.long
Model = Callable[..., LanguageModel]


def compare(
    owner: User, *models: LanguageModel, text: str = "hello", within: Conversation | None = None
) -> list[Turn]:
    """The turns of a message that these models answer side by side."""
    compared = [Compared(model_id=model.public_id) for model in models]
    return sent(owner, compared, text, within)


def sent(
    owner: User,
    compared: list[Compared],
    text: str = "hello",
    within: Conversation | None = None,
    **more: Any,
) -> list[Turn]:
    conversation_id = within.public_id if within else None
    message = NewMessage(uuid.uuid4().hex, text, conversation_id, compared=compared, **more)
    turn = send_message(owner, message)
    return list(Turn.objects.compared_with(turn))


@pytest.fixture
def two(model: Model) -> list[LanguageModel]:
    return [model("stub-n3"), model("stub-n5")]


def shown(conversation: Conversation) -> list[int]:
    turns = Turn.objects.filter(conversation=conversation, is_shown=True).order_by("pk")
    return list(turns.values_list("pk", flat=True))


def test_one_message_makes_a_turn_for_each_model_beside_each_other(
    owner: User, two: list[LanguageModel]
) -> None:
    first, second = compare(owner, *two)
    assert [first.model, second.model] == two
    assert (first.parent, second.parent) == (None, None)
    assert first.comparison == second.comparison is not None
    assert (first.lane, second.lane) == (0, 1)
    assert second.original == first
    assert shown(first.conversation) == [first.pk]
    assert [turn.question.body["content"] for turn in (first, second) if turn.question] == [
        "hello",
        "hello",
    ]


def streaming() -> set[int]:
    turns = Turn.objects.filter(status=Turn.Status.STREAMING)
    return set(turns.values_list("pk", flat=True))


def test_they_run_at_the_same_time(owner: User, model: Model) -> None:
    turns = compare(owner, model("stub-r60-n60"), model("stub-r60-n80"))
    threads = [threading.Thread(target=advance, args=(turn.pk,)) for turn in turns]
    for thread in threads:
        thread.start()
    running: set[int] = set()
    deadline = time.monotonic() + 20
    while any(thread.is_alive() for thread in threads) and time.monotonic() < deadline:
        running = max(running, in_database(streaming), key=len)
    for thread in threads:
        thread.join(patience.SECONDS)
    assert running == {turn.pk for turn in turns}
    assert {turn.status for turn in Turn.objects.all()} == {Turn.Status.DONE}


def test_each_request_has_the_conversation_before_and_the_question_once(
    owner: User, two: list[LanguageModel], send: Callable[..., Turn]
) -> None:
    before = answer_rings(send(two[0], "before"))
    turns = compare(owner, *two, text="now", within=before.conversation)
    for turn in turns:
        read = history.read(Turn.objects.for_journal(turn.pk)).messages
        assert [one["role"] for one in read] == ["user", "assistant", "user"]
        assert read[-1]["content"] == "now"
        assert answer_rings(turn).status == Turn.Status.DONE


def test_the_same_message_again_is_the_same_comparison(
    owner: User, two: list[LanguageModel]
) -> None:
    message = NewMessage("key", "hello", compared=[Compared(one.public_id) for one in two])
    assert send_message(owner, message) == send_message(owner, message)
    assert Turn.objects.count() == 2


def test_attachments_are_each_answer_s_own(owner: User, two: list[LanguageModel]) -> None:
    attachment = uploads.upload(owner, "a.txt", b"text")
    compared = [Compared(one.public_id) for one in two]
    turns = sent(owner, compared, attachment_ids=[attachment.public_id])
    attached = [list(turn.question.attachments.all()) for turn in turns if turn.question]
    assert [[bytes(one.content) for one in each] for each in attached] == [[b"text"], [b"text"]]
    assert attached[0][0].pk != attached[1][0].pk


def test_assistants_answer_with_their_own_prompts(owner: User, model: Model) -> None:
    answering = model("stub-n3")
    presets = [
        Preset.objects.create(name=name, owner=owner, system_prompt=f"I am {name}.")
        for name in ("A", "B")
    ]
    compared = [Compared(preset_id=one.public_id) for one in presets]
    for is_new in (True, False):
        within = None if is_new else Conversation.objects.get()
        turns = sent(owner, compared, within=within, model_id=answering.public_id)
        for turn, preset in zip(turns, presets, strict=True):
            row = Turn.objects.for_journal(turn.pk)
            assert history.read(row).messages[0]["content"] == preset.system_prompt
            assert answer_rings(turn).status == Turn.Status.DONE
        comparisons.choose(owner, turns[1].public_id)
        assert Conversation.objects.get().preset == presets[1]


def test_the_chosen_one_goes_on_and_the_others_stay_as_versions(
    owner: User, two: list[LanguageModel], send: Callable[..., Turn]
) -> None:
    first, second = (answer_rings(turn) for turn in compare(owner, *two))
    comparisons.choose(owner, second.public_id)
    assert shown(second.conversation) == [second.pk]
    following = send(two[0], "next", second.conversation)
    assert following.parent == second
    answer_rings(following)
    branches.switch(second.conversation, first.public_id)
    assert shown(first.conversation) == [first.pk]


def test_the_choice_stops_those_that_are_still_written(
    owner: User, two: list[LanguageModel]
) -> None:
    first, second = compare(owner, *two)
    answer_rings(first)
    comparisons.choose(owner, first.public_id)
    assert answer_rings(second).status == Turn.Status.STOPPED


def test_one_answer_is_chosen(owner: User, two: list[LanguageModel]) -> None:
    first, second = compare(owner, *two)
    comparisons.choose(owner, first.public_id)
    comparisons.choose(owner, first.public_id)
    with pytest.raises(Rejected, match="Another answer was chosen"):
        comparisons.choose(owner, second.public_id)


def test_nothing_follows_before_the_choice(
    owner: User, two: list[LanguageModel], send: Callable[..., Turn]
) -> None:
    first, second = (answer_rings(turn) for turn in compare(owner, *two))
    with pytest.raises(Rejected, match="Choose the one to go on with"):
        send(two[0], "next", first.conversation)
    with pytest.raises(Rejected, match="Choose the one to go on with"):
        compare(owner, *two, within=first.conversation)
    with pytest.raises(Rejected, match="Choose the one to go on with"):
        compact.compact_conversation(owner, first.conversation, key="summary")
    assert Turn.objects.count() == 2
    assert second.is_compared


def test_a_failed_answer_is_tried_again_by_its_model_beside_the_others(
    owner: User, model: Model
) -> None:
    fails, slow = model("stub-f401"), model("stub-n3")
    failed, running = compare(owner, fails, slow)
    assert answer_rings(failed).status == Turn.Status.FAILED
    assert failed.question is not None
    message = NewMessage(
        "again",
        "hello",
        failed.conversation.public_id,
        slow.public_id,
        again=failed.question.public_id,
    )
    tried = send_message(owner, message)
    assert (tried.model, tried.lane, tried.is_compared) == (fails, 0, True)
    assert not tried.is_in_line
    assert list(Turn.objects.compared_with(running)) == [tried, running]


@pytest.mark.parametrize("is_new", [True, False])
def test_an_assistant_that_is_tried_again_has_its_own_prompt(
    owner: User, model: Model, send: Callable[..., Turn], is_new: bool
) -> None:
    within = None if is_new else answer_rings(send(model("stub-n3"))).conversation
    presets = [
        Preset.objects.create(name=name, owner=owner, system_prompt=f"I am {name}.")
        for name in ("A", "B")
    ]
    compared = [Compared(preset_id=one.public_id) for one in presets]
    fails = model("stub-f401")
    for turn in sent(owner, compared, within=within, model_id=fails.public_id):
        assert answer_rings(turn).status == Turn.Status.FAILED
        assert turn.question is not None
        again, key = turn.question.public_id, uuid.uuid4().hex
        message = NewMessage(key, "hello", turn.conversation.public_id, again=again)
        tried = send_message(owner, message)
        read = history.read(Turn.objects.for_journal(tried.pk)).messages
        assert tried.preset is not None
        assert read[0]["content"] == tried.preset.system_prompt
        assert answer_rings(tried).status == Turn.Status.FAILED


def test_a_withdrawn_message_comes_back_after_the_choice(
    owner: User, two: list[LanguageModel], send: Callable[..., Turn]
) -> None:
    running = send(two[0], "first")
    waiting = send(two[0], "second", running.conversation)
    deletion.withdraw(owner, waiting.public_id)
    answer_rings(running)
    turns = [answer_rings(one) for one in compare(owner, *two, within=running.conversation)]
    with pytest.raises(Rejected, match="Choose the one to go on with first"):
        deletion.restore(owner, waiting.public_id)
    comparisons.choose(owner, turns[1].public_id)
    deletion.restore(owner, waiting.public_id)
    assert Turn.objects.get(public_id=waiting.public_id).parent == turns[1]


def test_a_new_conversation_s_question_is_deleted_with_all_its_answers_and_restored(
    owner: User, two: list[LanguageModel]
) -> None:
    turns = compare(owner, *two)
    deletion.delete(owner, turns[0].public_id)
    assert not Turn.objects.filter(deleted=None).exists()
    assert Conversation.objects.get().deletions[0]["messages"] == 1
    deletion.restore(owner, turns[0].public_id)
    assert Turn.objects.filter(deleted=None).count() == 2
    assert shown(turns[0].conversation) in ([turns[0].pk], [turns[1].pk])


def test_a_message_that_waits_is_sent_now_after_all_answers_were_stopped(
    owner: User, two: list[LanguageModel]
) -> None:
    turns = compare(owner, *two)
    question = turns[0].question
    assert question is not None
    message = NewMessage(
        "edit",
        "other",
        turns[0].conversation.public_id,
        two[0].public_id,
        alternative=Edit(question.public_id),
    )
    waiting = send_message(owner, message)
    assert waiting.is_in_line
    with pytest.raises(Rejected, match="Several answers are in progress"):
        queue.steer(owner, waiting.public_id)
    queue.send_now(owner, waiting.public_id)
    assert [answer_rings(turn).status for turn in turns] == [Turn.Status.STOPPED] * 2
    waiting.refresh_from_db()
    assert answer_rings(waiting).status == Turn.Status.DONE


def test_a_comparison_begins_when_nothing_runs(
    owner: User, two: list[LanguageModel], send: Callable[..., Turn]
) -> None:
    running = send(two[0], "first")
    with pytest.raises(Rejected, match="An answer is in progress"):
        compare(owner, *two, within=running.conversation)
    assert Turn.objects.count() == 1


@pytest.mark.parametrize("count", [1, 4])
def test_two_or_three_are_compared(owner: User, model: Model, count: int) -> None:
    with pytest.raises(Rejected, match="Choose 2 to 3"):
        compare(owner, *(model(f"stub-n{number}") for number in range(1, count + 1)))


def test_nobody_is_compared_with_itself(owner: User, model: Model) -> None:
    with pytest.raises(Rejected, match="there twice"):
        compare(owner, model("stub-n3"), model("stub-n3"))


def test_two_turns_of_a_lane_never_run_at_once(owner: User, two: list[LanguageModel]) -> None:
    first, second = compare(owner, *two)
    Turn.objects.filter(pk=first.pk).update(status=Turn.Status.STREAMING)
    with pytest.raises(IntegrityError):
        Turn.objects.filter(pk=second.pk).update(status=Turn.Status.WAITING, lane=0)


def test_what_may_change_something_asks_while_answers_are_compared(
    owner: User, two: list[LanguageModel]
) -> None:
    (turn, _) = compare(owner, *two)
    writes = Tool("write", "Writes.", {"type": "object"}, policy="allow")
    reads = Tool("read", "Reads.", {"type": "object"}, policy="allow", idempotent=True)
    conversation = turn.conversation

    def status(tool: Tool, *, compared: bool) -> Span.Status:
        return policies.judge(tool.name, tool, None, conversation, is_compared=compared).status

    assert status(writes, compared=True) == Span.Status.AWAITING_APPROVAL
    assert status(writes, compared=False) == Span.Status.APPROVED
    assert status(reads, compared=True) == Span.Status.APPROVED


def test_another_person_s_answer_is_not_chosen(owner: User, two: list[LanguageModel]) -> None:
    (turn, _) = compare(owner, *two)
    with pytest.raises(Rejected, match="no longer exists"):
        comparisons.choose(User.objects.create_user("other"), turn.public_id)
    assert Turn.objects.filter(is_compared=True).count() == 2


def test_a_compared_answer_and_its_subagents_ask_until_the_choice(
    owner: User, two: list[LanguageModel]
) -> None:
    turn, _ = compare(owner, *two)
    assert turn.trace is not None
    call = Span.objects.create(trace=turn.trace, kind=Span.Kind.TOOL, name="task")
    nested = AConversation(owner, "Nested", parent_call=call).turn("a task").row
    assert proposals.is_compared(turn)
    assert proposals.is_compared(nested)
    comparisons.choose(owner, turn.public_id)
    assert not proposals.is_compared(turn)
    assert not proposals.is_compared(nested)


def test_a_temporary_conversation_goes_with_all_its_answers(
    owner: User, two: list[LanguageModel]
) -> None:
    turns = sent(owner, [Compared(one.public_id) for one in two], temporary=True)
    for turn in turns:
        answer_rings(turn)
    Conversation.objects.update(watched=timezone.now() - 2 * MAX_TEMPORARY_ABSENCE)
    temporary.erase_left()
    assert not Turn.objects.exists()
    assert not Span.objects.exists()
