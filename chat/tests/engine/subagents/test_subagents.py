"""Subagents: nested turns that a call begins, and that report to it."""

from collections.abc import Callable

import pytest

from chat import turn_facts
from chat.agent import subagents
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.tests.engine.delegating import nested, run, task
from tracing.models import Archive, Payload, Span, Trace
from tracing.store import payloads

pytestmark = pytest.mark.long
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(name="Agent", tools=["task", "todo", "calculate"])
    made.save()
    return made


def offered(turn: Turn) -> list[str]:
    """The names of the tools in its first request."""
    requests = Payload.objects.filter(span__trace=turn.trace_id, stage=Payload.Stage.REQUEST)
    sent = payloads.read_json(requests.select_related("span__trace").earliest("pk"))
    return [tool["function"]["name"] for tool in sent["tools"]]


def results(turn: Turn) -> list[str]:
    told = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in told]


def test_a_subagent_s_last_text_is_the_result_of_its_call(agent: LanguageModel, send: Send) -> None:
    turn = run(send(agent, task('call calculate {"expr": "6*7"}')))
    (inner,) = nested(turn)
    assert (turn.status, inner.status) == (Turn.Status.DONE, Turn.Status.DONE)
    assert results(inner) == ["42"]
    assert inner.answer is not None
    assert results(turn) == [inner.answer.body["content"]]


def test_the_parent_waits_without_holding_a_worker(agent: LanguageModel, send: Send) -> None:
    turn = send(agent, task("hello"))
    advance(turn.pk)
    (call,) = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    execute(call.pk)
    advance(turn.pk)
    call.refresh_from_db()
    turn.refresh_from_db()
    assert (call.status, call.owner) == (Span.Status.WAITING, "")
    assert (turn.status, turn.owner) == (Turn.Status.WAITING, "")


def test_it_begins_with_nothing_but_its_prompt(agent: LanguageModel, send: Send) -> None:
    run(send(agent, task("hello")))
    (conversation,) = Conversation.objects.exclude(parent_call=None)
    said = conversation.messages.order_by("pk").values_list("body", flat=True)
    assert [body["role"] for body in said] == ["system", "user", "assistant"]
    assert said[1]["content"] == "hello"


def test_a_subagent_is_not_offered_the_tool_task(agent: LanguageModel, send: Send) -> None:
    turn = run(send(agent, task("hello")))
    (inner,) = nested(turn)
    assert [offered(one) for one in (turn, inner)] == [
        ["calculate", "todo", "task"],
        ["calculate", "todo"],
    ]


def test_several_of_a_round_are_begun_at_once(agent: LanguageModel, send: Send) -> None:
    turn = send(agent, "\n".join(task(f"part {number}") for number in range(3)))
    advance(turn.pk)
    for call in Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL):
        execute(call.pk)
    assert [one.status for one in nested(turn)] == [Turn.Status.QUEUED] * 3
    assert len(results(run(turn))) == 3


def test_beginning_again_after_a_crash_makes_no_second_one(
    agent: LanguageModel, send: Send
) -> None:
    turn = send(agent, task("hello"))
    advance(turn.pk)
    (call,) = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    execute(call.pk)
    execute(call.pk)
    assert len(nested(turn)) == 1


def test_stop_stops_the_tree(agent: LanguageModel, send: Send) -> None:
    turn = send(agent, task("hello"))
    advance(turn.pk)
    execute(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
    assert turn_facts.stop(turn)
    run(turn)
    (inner,) = nested(turn)
    advance(inner.pk)
    inner.refresh_from_db()
    assert (turn.status, inner.status) == (Turn.Status.STOPPED, Turn.Status.STOPPED)


def test_an_orphan_is_stopped(agent: LanguageModel, send: Send) -> None:
    turn = send(agent, task("hello"))
    advance(turn.pk)
    execute(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.FAILED)
    subagents.stop_orphans()
    (inner,) = nested(turn)
    assert inner.stop_requested is not None


def test_thirty_rounds_are_the_most_and_without_a_text_there_is_no_summary(
    agent: LanguageModel, send: Send
) -> None:
    endless = "\nthen\n".join(['call calculate {"expr": "1"}'] * 40)
    turn = run(send(agent, task(endless)), most=100)
    (inner,) = nested(turn)
    assert inner.rounds == 30
    assert turn.status == Turn.Status.DONE


def test_a_failing_subagent_is_an_error_that_says_why(
    model: Model, agent: LanguageModel, send: Send
) -> None:
    turn = send(agent, task("hello"))
    advance(turn.pk)
    execute(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
    (inner,) = nested(turn)
    Turn.objects.filter(pk=inner.pk).update(model=model("stub-f401"))
    run(turn)
    assert results(turn)[0].startswith("The subagent failed: ")


def test_its_evidence_goes_with_the_conversation(agent: LanguageModel, send: Send) -> None:
    turn = run(send(agent, task("hello")))
    turn.conversation.delete()
    assert not Archive.objects.exists()
    assert not Trace.objects.exists()


def test_the_sidebar_does_not_list_it(agent: LanguageModel, send: Send) -> None:
    turn = run(send(agent, task("hello")))
    assert list(Conversation.objects.top_level()) == [turn.conversation]
