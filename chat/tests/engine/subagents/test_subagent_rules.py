"""What must hold of subagents whatever happens to them, to their parent, or to what is asked."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import close_old_connections

from benchmarks.stub import Stub
from chat import turn_facts
from chat.agent import subagents
from chat.agent.subagents import NO_PROMPT, STOPPED
from chat.engine.tool_calls.execute import execute
from chat.engine.turn import claims
from chat.engine.turn.advance import advance
from chat.events.log import client
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.tests.engine.delegating import nested, run, task
from chat.tests.engine.faulty import advancing, stop
from tests import patience
from tests.redis_server import RedisServer
from tracing.models import Archive, Blob, Span, Trace

pytestmark = pytest.mark.long
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Agent = Callable[..., LanguageModel]


@pytest.fixture
def agent(model: Model) -> Agent:
    """A model that delegates, by its name."""

    def make(name: str = "stub-r0-ask-n5") -> LanguageModel:
        made = model(name)
        made.preset = Preset.objects.create(name=f"Agent {name}", tools=["task", "calculate"])
        made.save()
        return made

    return make


def calls(turn: Turn) -> list[Span]:
    return list(Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL).order_by("pk"))


def results(turn: Turn) -> list[str]:
    told = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in told]


def begun(turn: Turn) -> list[Turn]:
    """Its subagents, which it has just begun."""
    advance(turn.pk)
    for call in calls(turn):
        execute(call.pk)
    return nested(turn)


def at_the_same_time(jobs: list[Callable[[], object]]) -> None:
    def do(job: Callable[[], object]) -> None:
        try:
            job()
        finally:
            close_old_connections()

    with ThreadPoolExecutor(len(jobs)) as workers:
        for done in [workers.submit(do, job) for job in jobs]:
            done.result(patience.SECONDS)


def test_a_subagent_that_calls_task_all_the_same_is_told_that_it_has_none(
    agent: Agent, send: Send
) -> None:
    turn = run(send(agent(), task(task("deeper"))))
    (inner,) = nested(turn)
    assert "task" in results(inner)[0]
    assert "calculate" in results(inner)[0]
    assert nested(inner) == []


def test_three_of_a_round_run_at_the_same_time(agent: Agent, send: Send) -> None:
    turn = send(agent("stub-r20-ask-n20"), "\n".join(task(f"part {n}") for n in range(3)))
    inner = begun(turn)
    at_the_same_time([partial(advance, one.pk) for one in inner])
    spoke = Span.objects.filter(
        trace__in=[one.trace_id for one in inner], kind=Span.Kind.GENERATION
    )
    moments = [(span.started, span.ended) for span in spoke]
    assert len(moments) == 3
    assert max(began for began, _ in moments if began) < min(end for _, end in moments if end)


@pytest.mark.parametrize("prompt", ["", "  \n "])
def test_without_a_prompt_nothing_is_begun(agent: Agent, send: Send, prompt: str) -> None:
    turn = run(send(agent(), task(prompt)))
    assert results(turn) == [NO_PROMPT]
    assert nested(turn) == []


@pytest.mark.parametrize(
    "prompt", ["数据库有几张表?", "a\x00b", "\ud800", "x" * 300_000, "\u202eevil"]
)
def test_odd_prompts_arrive_as_they_are(agent: Agent, send: Send, prompt: str) -> None:
    turn = run(send(agent(), task(prompt)))
    (inner,) = nested(turn)
    assert inner.question is not None
    assert inner.question.body["content"] == prompt
    assert turn.status == Turn.Status.DONE


def test_a_result_that_comes_while_the_parent_is_stopped_is_one_result(
    agent: Agent, send: Send
) -> None:
    turn = send(agent(), task("hello"))
    (inner,) = begun(turn)
    at_the_same_time([lambda: advance(inner.pk), lambda: turn_facts.stop(turn)])
    run(turn)
    assert len(results(turn)) == 1
    assert not calls(turn)[0].is_open


def test_reporting_twice_is_reporting_once(agent: Agent, send: Send) -> None:
    turn = send(agent(), task("hello"))
    (inner,) = begun(turn)
    advance(inner.pk)
    inner.refresh_from_db()
    (before,) = calls(turn)
    subagents.finish_parent_call(inner)
    (after,) = calls(turn)
    assert (before.status, before.ended) == (after.status, after.ended)


def test_one_subagent_may_be_stopped_and_the_parent_goes_on(agent: Agent, send: Send) -> None:
    turn = send(agent(), f"{task('one')}\n{task('two')}")
    first, _ = begun(turn)
    turn_facts.stop(first)
    assert run(turn).status == Turn.Status.DONE
    assert results(turn)[0] == STOPPED
    assert results(turn)[1] != STOPPED


def test_stop_reaches_models_that_are_speaking(
    agent: Agent, send: Send, stub: Stub, redis_server: RedisServer
) -> None:
    turn = send(agent("stub-r20-ask-n4000"), f"{task('one')}\n{task('two')}")
    inner = begun(turn)
    advance(turn.pk)
    asked = len(stub.completions)
    with advancing(inner[0]) as first_ended, advancing(inner[1]) as second_ended:
        stub.wait_for(lambda seen: len(seen) >= asked + 2)
        assert stop(turn)
        assert first_ended(5).status == Turn.Status.STOPPED
        assert second_ended(5).status == Turn.Status.STOPPED
    run(turn)
    assert turn.status == Turn.Status.STOPPED
    cut = Span.objects.filter(trace__in=[one.trace_id for one in inner], kind="generation")
    assert {span.attributes["cut"] for span in cut} == {"stopped"}


def test_a_subagent_whose_worker_is_gone_goes_on_and_has_one_result(
    agent: Agent, send: Send
) -> None:
    turn = send(agent(), task('call calculate {"expr": "6*7"}'))
    (inner,) = begun(turn)
    dead = claims.claim(inner.pk, owner="dead:1:0")
    assert dead is not None
    Turn.objects.filter(pk=inner.pk).update(lease_expires=inner.created)
    assert run(turn).status == Turn.Status.DONE
    assert len(results(turn)) == 1


def test_redis_that_forgets_everything_loses_nothing(
    agent: Agent, send: Send, redis_server: RedisServer
) -> None:
    turn = send(agent(), f"{task('one')}\n{task('two')}")
    begun(turn)
    client().flushall()
    assert run(turn).status == Turn.Status.DONE
    assert len(results(turn)) == 2


def test_deleting_the_conversation_in_the_middle_leaves_nothing(agent: Agent, send: Send) -> None:
    turn = send(agent("stub-r20-ask-n60"), task("hello"))
    (inner,) = begun(turn)
    delete = threading.Timer(0.5, turn.conversation.delete)
    delete.start()
    at_the_same_time([lambda: advance(inner.pk)])
    delete.join(patience.SECONDS)
    advance(inner.pk)
    advance(turn.pk)
    for model in (Conversation, Turn, Archive, Trace, Span, Blob):
        assert not model.objects.exists()


def test_a_model_without_tools_is_a_subagent_that_only_talks(
    agent: Agent, send: Send, model: Model
) -> None:
    turn = send(agent(), task("hello"))
    (inner,) = begun(turn)
    mute = model("stub-n3")
    mute.takes_tools = False
    mute.save()
    Turn.objects.filter(pk=inner.pk).update(model=mute)
    assert run(turn).status == Turn.Status.DONE
    assert results(turn)[0]


def test_it_has_what_its_parent_chose(agent: Agent, send: Send) -> None:
    turn = send(agent(), task("hello"))
    chosen = {"limits": {"subagent_rounds": 2}, "activated": ["calculate"], "skills": ["none"]}
    Conversation.objects.filter(pk=turn.conversation_id).update(**chosen)
    (inner,) = begun(turn)
    has = {name: getattr(inner.conversation, name) for name in chosen}
    assert has == chosen


def test_a_subagent_that_ended_with_its_parent_is_not_said_to_have_never_run(
    agent: Agent, send: Send
) -> None:
    turn = send(agent(), task("hello"))
    begun(turn)
    turn_facts.stop(turn)
    run(turn)
    assert results(turn) == ["The user stopped the turn before the subagent had finished."]


def test_arguments_that_task_does_not_have_are_told_with_its_result(
    agent: Agent, send: Send
) -> None:
    turn = run(send(agent(), task("hello", model="large")))
    assert turn.status == Turn.Status.DONE
    assert results(turn)[0].endswith("[task has no argument 'model'; it was left out.]")
