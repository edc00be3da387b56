"""Ceilings of a turn with its subagents, and the time that people take."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat.agent.subagents import NO_SUMMARY
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.engine.turn.ceilings import waited
from chat.models import LanguageModel, Message, Preset, Turn
from chat.tests.engine.delegating import nested, run, task
from tracing.models import Span

pytestmark = [pytest.mark.postgres, pytest.mark.long]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
SIX = 'call calculate {"expr": "2*3"}'


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    made = model("stub-r0-ask-n5-usage")
    made.preset = Preset.objects.create(name="Agent", tools=["task", "calculate"])
    made.save()
    return made


def begun(turn: Turn) -> Turn:
    """The subagent that it has just begun."""
    advance(turn.pk)
    execute(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
    (inner,) = nested(turn)
    return inner


def result(turn: Turn) -> str:
    told = Message.objects.get(turn=turn, role=Message.Role.TOOL)
    return str(told.body["content"])


def test_tokens_of_the_tree_are_those_of_all_its_turns(
    agent: LanguageModel, send: Send, settings: Settings
) -> None:
    settings.TURN_CEILINGS = {"tokens": 10_000}
    turn = send(agent, task(f"{SIX}\nthen\n{SIX}"))
    inner = begun(turn)
    Turn.objects.filter(pk=turn.pk).update(tokens_in=20_000)
    run(turn)
    inner.refresh_from_db()
    assert (inner.rounds, inner.ceiling) == (0, "tokens")
    assert result(turn) == NO_SUMMARY
    turn.refresh_from_db()
    assert turn.error.startswith("Stopped after 10,000 tokens")
    assert turn.ceiling == "tokens"


def looping(subagents: int) -> str:
    """Asks for so many subagents at once, each of which would go on for 9 rounds."""
    return "\n".join([task("\nthen\n".join([SIX] * 9))] * subagents)


@pytest.mark.parametrize(
    ("ceiling", "sentence", "requests"),
    [
        ({"all_rounds": 12}, "Stopped after 12 rounds together, the most that a turn and its", 12),
        ({"all_calls": 10, "calls_a_round": 5}, "Stopped after 10 tool calls together, the", 6),
    ],
)
def test_the_ceilings_of_a_turn_count_what_its_subagents_do(
    agent: LanguageModel,
    send: Send,
    settings: Settings,
    ceiling: dict[str, int],
    sentence: str,
    requests: int,
) -> None:
    settings.AGENT_LIMITS = {"rounds": 10}
    settings.TURN_CEILINGS = ceiling
    turn = run(send(agent, looping(5)))
    assert turn.status == Turn.Status.FAILED
    assert turn.error.startswith(sentence)
    assert turn.ceiling == next(iter(ceiling))
    assert Span.objects.filter(kind=Span.Kind.GENERATION).count() == requests
    assert not Span.objects.filter(kind=Span.Kind.TOOL, status__in=Span.OPEN).exists()


def test_time_runs_since_the_parent_began(
    agent: LanguageModel, send: Send, settings: Settings
) -> None:
    turn = send(agent, task(f"{SIX}\nthen\n{SIX}"))
    inner = begun(turn)
    Turn.objects.filter(pk=turn.pk).update(started=timezone.now() - timedelta(hours=2))
    run(turn)
    inner.refresh_from_db()
    assert inner.error.startswith("Stopped after 60 minutes")
    assert inner.ceiling == "seconds"


def test_time_in_which_a_subagent_waits_for_a_person_does_not_count(
    agent: LanguageModel, send: Send
) -> None:
    turn = send(agent, task(f"{SIX}\nthen\n{SIX}"))
    inner = begun(turn)
    advance(inner.pk)
    now, earlier = timezone.now(), timezone.now() - timedelta(hours=2)
    Turn.objects.filter(pk=turn.pk).update(started=earlier)
    call = Span.objects.get(trace=inner.trace, kind=Span.Kind.TOOL)
    asked = {"needs_approval": True, "decision": {"approve": True, "at": now.isoformat()}}
    Span.objects.filter(pk=call.pk).update(created=earlier, attributes=call.attributes | asked)
    assert run(turn).status == Turn.Status.DONE


def test_people_who_are_waited_for_at_the_same_time_are_waited_for_once(
    agent: LanguageModel, send: Send
) -> None:
    turn = send(agent, "hello")
    assert turn.trace is not None
    began = timezone.now() - timedelta(hours=1)
    for number, (since, until) in enumerate(((0, 20), (10, 30), (40, 50)), 1):
        pair = [(began + timedelta(minutes=minute)).isoformat() for minute in (since, until)]
        Span.objects.create(
            trace=turn.trace, kind=Span.Kind.TOOL, number=number, attributes={"waits": [pair]}
        )
    assert waited(turn) == timedelta(minutes=40)


def test_a_call_of_a_subagent_has_no_deadline(
    agent: LanguageModel, send: Send, settings: Settings
) -> None:
    settings.TOOL_DEADLINE = 0.001
    turn = run(send(agent, task("hello")))
    assert turn.status == Turn.Status.DONE
    assert nested(turn)[0].answer is not None
