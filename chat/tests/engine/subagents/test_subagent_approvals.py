"""What a subagent needs a person for: consents, grants, answers. All of it in the parent's chat."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chat.commands.answer import answer_question
from chat.commands.decide import decide_call
from chat.events import subagent_states
from chat.models import Conversation, LanguageModel, Message, Preset, Question, Turn
from chat.tests.engine.delegating import nested, run, task
from tools.models import Policy, Server
from tools.tests.calling import odd, store_listing
from tools.tests.servers import asking
from tracing.models import Span

pytestmark = [pytest.mark.process, pytest.mark.postgres]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Ask = Callable[..., Turn]
ECHO = 'call odd-echo {"text": "hello"}'


@pytest.fixture
def ask(model: Model, send: Send) -> Ask:
    """Sends a text, and lets the workers do what they can before a person has to decide."""
    for name, args in (("odd", odd().args), ("asking", (str(Path(asking.__file__)),))):
        row = Server.objects.create(name=name, command=sys.executable, args=list(args))
        store_listing(row)
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(
        name="Agent", tools=["task", "odd-*", "asking-*"], policies=[["asking-*", Policy.ALLOW]]
    )
    made.save()

    def to(*lines: str, conversation: Conversation | None = None) -> Turn:
        return run(send(made, "\n".join(lines), conversation), until_waiting=True)

    return to


def waiting() -> list[Span]:
    found = Span.objects.filter(kind=Span.Kind.TOOL, status=Span.Status.AWAITING_APPROVAL)
    return list(found.order_by("pk"))


def told(turn: Turn) -> list[str]:
    messages = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in messages]


def test_the_parent_knows_what_its_subagent_waits_for(ask: Ask) -> None:
    turn = ask(task(ECHO))
    (call,) = waiting()
    task_call = Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)
    state = subagent_states([task_call.pk])[task_call.pk]
    assert (state["waiting"], state["waits_for"]) == ([str(call.public_id)], ["odd-echo"])


def test_a_consent_lets_the_tree_go_on(ask: Ask) -> None:
    turn = ask(task(ECHO))
    (call,) = waiting()
    assert decide_call(call, approve=True)
    assert run(turn).status == Turn.Status.DONE
    assert told(nested(turn)[0]) == ["hello"]


def test_a_denial_is_told_to_the_subagent(ask: Ask) -> None:
    turn = ask(task(ECHO))
    (call,) = waiting()
    decide_call(call, approve=False, reason="not today")
    run(turn)
    assert "Reason: not today" in told(nested(turn)[0])[0]


def test_a_grant_lets_all_that_waits_in_the_tree_run(ask: Ask) -> None:
    turn = ask(ECHO, task(ECHO), task(ECHO))
    first, *_ = waiting()
    assert len(waiting()) == 3
    decide_call(first, approve=True, for_conversation=True)
    assert waiting() == []
    assert run(turn).status == Turn.Status.DONE


def test_a_grant_in_a_subagent_counts_for_its_parent_and_for_later_ones(ask: Ask) -> None:
    turn = ask(task(ECHO))
    (call,) = waiting()
    decide_call(call, approve=True, for_conversation=True)
    run(turn)
    later = ask(ECHO, task(ECHO), conversation=turn.conversation)
    assert later.status == Turn.Status.DONE


def test_a_grant_reaches_a_subagent_that_is_under_way(ask: Ask) -> None:
    turn = ask(task(f'call asking-steps {{"count": 1}}\nthen\n{ECHO}\nthen\n{ECHO}'))
    (call,) = waiting()
    decide_call(call, approve=True, for_conversation=True)
    assert run(turn).status == Turn.Status.DONE
    assert told(nested(turn)[0]) == ["all steps", "hello", "hello"]


def test_a_grant_of_one_conversation_is_not_another_s(ask: Ask) -> None:
    ask(task(ECHO))
    other = ask(task(ECHO))
    first, second = waiting()
    decide_call(first, approve=True, for_conversation=True)
    assert waiting() == [second]
    assert second.trace_id == nested(other)[0].trace_id


def test_a_server_s_question_in_a_subagent_is_answered(ask: Ask) -> None:
    turn = ask(task('call asking-book {"day": "today"}'))
    question = Question.objects.get(state=Question.State.OPEN)
    assert list(Question.objects.answerable_by(turn.user)) == [question]
    assert answer_question(question, "decline")
    assert run(turn).status == Turn.Status.DONE
    assert told(nested(turn)[0]) == ["today: decline"]
