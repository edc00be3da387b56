"""Room for long conversations: placeholders, summaries, caps; what is stored stays whole."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chat.models import Compaction, LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings, limit
from tools.models import Server
from tools.tests.calling import odd, store_listing
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.process

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
WINDOW = 4_000


@pytest.fixture(autouse=True)
def few_rounds(settings: Any) -> None:
    """The script of a turn begins again after a summary: so does the stub."""
    settings.AGENT_LIMITS = {"rounds": 14}


@pytest.fixture
def server(transactional_db: None) -> Server:
    program = odd()
    row = Server.objects.create(name="odd", command=program.command, args=list(program.args))
    store_listing(row)
    return row


@pytest.fixture
def window() -> int:
    return WINDOW


@pytest.fixture
def small(server: Server, model: Model, window: int) -> LanguageModel:
    """A model with little room."""
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(
        name="Agent", tools=["odd-echo", "compact"], policies=[["*", "allow"]]
    )
    made.context_window = window
    made.save()
    return made


def echo(characters: int, letter: str = "x") -> str:
    return f"call odd-echo {json.dumps({'text': letter * characters})}"


def sent(turn: Turn, number: int) -> list[dict[str, Any]]:
    """The messages of a round's request."""
    found = Payload.objects.select_related("span__trace").get(
        span__trace=turn.trace_id,
        span__parent__number=number,
        stage="request",
        span__parent__kind="round",
    )
    messages: list[dict[str, Any]] = payloads.read_json(found)["messages"]
    return messages


def results(messages: list[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages if message["role"] == "tool"]


def compactions(turn: Turn) -> list[Span]:
    return list(Span.objects.filter(trace=turn.trace_id, kind="compaction").order_by("pk"))


def test_a_short_conversation_is_sent_whole(small: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(small, "\nthen\n".join([echo(150)] * 5)))
    assert [len(one) for one in results(sent(turn, 6))] == [150] * 5
    assert compactions(turn) == []


@pytest.mark.parametrize("window", [6_000])
def test_old_results_become_placeholders_when_half_of_the_window_is_full(
    small: LanguageModel, send: Send
) -> None:
    limit(small, auto_share=0)
    turn = answer_rings(send(small, "\nthen\n".join([echo(1_000)] * 6)))
    told = results(sent(turn, 7))
    assert told[0] == "[Earlier result of odd-echo, 1,000 characters: left out to save room]"
    assert [len(one) for one in told[-3:]] == [1_000] * 3
    (done, *_) = compactions(turn)
    assert (done.name, done.status) == ("micro", Span.Status.SUCCEEDED)
    assert done.attributes["results"] > 0


def test_what_is_stored_stays_whole(small: LanguageModel, send: Send) -> None:
    limit(small, auto_share=0)
    turn = answer_rings(send(small, "\nthen\n".join([echo(1_000)] * 6)))
    stored = Message.objects.filter(turn=turn, role="tool").values_list("body", flat=True)
    assert [len(body["content"]) for body in stored] == [1_000] * 6


@pytest.mark.parametrize("window", [9_000])
def test_a_full_window_is_summarised_within_the_turn(small: LanguageModel, send: Send) -> None:
    limit(small, micro_share=0)
    turn = answer_rings(send(small, "\nthen\n".join([echo(1_500)] * 12)), most=200)
    made = compactions(turn)
    assert [one.name for one in made][:1] == ["auto"]
    assert all(one.status == Span.Status.SUCCEEDED for one in made)
    summary = Compaction.objects.filter(kind="summary").latest("pk")
    assert summary.summary
    assert "The user's latest message" in sent(turn, turn.rounds)[0]["content"]


@pytest.mark.parametrize("window", [9_000])
def test_after_a_summary_no_result_is_without_its_call(small: LanguageModel, send: Send) -> None:
    limit(small, micro_share=0)
    turn = answer_rings(send(small, "\nthen\n".join([echo(1_500)] * 12)), most=200)
    last = sent(turn, turn.rounds)
    asked = {call["id"] for one in last for call in one.get("tool_calls") or ()}
    assert {one["tool_call_id"] for one in last if one["role"] == "tool"} <= asked


def test_the_model_can_ask_for_a_summary(small: LanguageModel, send: Send) -> None:
    script = [echo(200), echo(200), 'call compact {"focus": "names"}', echo(150)]
    turn = answer_rings(send(small, "\nthen\n".join(script)))
    assert [one.name for one in compactions(turn)][:1] == ["manual"]
    generation = compactions(turn)[0].children.get()
    asked = Payload.objects.select_related("span__trace").get(span=generation, stage="request")
    assert "Above all keep: names" in payloads.read_json(asked)["messages"][0]["content"]


@pytest.mark.parametrize("window", [40_000])
def test_an_oversized_result_is_cut_for_the_model(small: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(small, echo(40_000)))
    assert turn.status == Turn.Status.DONE
    (told,) = results(sent(turn, 2))
    assert len(told) < 40_000 * 0.6
    assert "40,000 characters in all" in told


@pytest.mark.parametrize("window", [9_000])
def test_many_results_of_one_round_are_cut_together(small: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(small, "\n".join([echo(1_500)] * 7 + [echo(120, "y")])))
    assert turn.status == Turn.Status.DONE
    told = results(sent(turn, 2))
    assert told[-1] == "y" * 120
    assert sum(len(one) for one in told) < 9_000 * 1.1
