"""What may go wrong while room is made: the conversation goes on, its history stays sendable."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chat.agent.estimating import guess
from chat.commands.fork import fork
from chat.engine.generation.outcome import Generated
from chat.models import Compaction, Conversation, LanguageModel, Message, Preset, Provider, Turn
from chat.tests.engine.conftest import Protocol, answer_rings, limit
from chat.tests.engine.faulty import advancing, attempts, is_sendable, request, stop, wait_for
from limits.models import MAX_REPORTED_TOKENS
from tracing.models import Span

pytestmark = pytest.mark.long

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
LONG = "a line that says something of some length. " * 12
SUM = 'call calculate {"expr": "1+1"}'


@pytest.fixture
def narrow(model: Model) -> Callable[..., LanguageModel]:
    """A model with little room, and whether it looks at the estimate."""

    def make(name: str, window: int = 2_000, **limits: Any) -> LanguageModel:
        made = model(name)
        made.preset = Preset.objects.create(
            name=name, tools=["calculate", "compact"], limits={"micro_share": 0, **limits}
        )
        made.context_window = window
        made.save()
        return made

    return make


def talk(model: LanguageModel, send: Send, turns: int = 8, text: str = LONG) -> list[Turn]:
    """A conversation of so many turns, each of which ends."""
    made: list[Turn] = []
    for number in range(turns):
        conversation: Conversation | None = made[0].conversation if made else None
        turn = send(model, f"{number}: {text}", conversation)
        made.append(answer_rings(turn, most=100))
    return made


def summaries(*turns: Turn) -> list[Span]:
    traces = [turn.trace_id for turn in turns]
    found = Span.objects.filter(trace__in=traces, kind=Span.Kind.COMPACTION, name="auto")
    return list(found.order_by("id"))


def wire(turn: Turn) -> list[dict[str, Any]]:
    """The messages of a turn's last request."""
    sent: list[dict[str, Any]] = json.loads(request(attempts(turn)[-1]))["messages"]
    return sent


def test_a_request_that_the_provider_finds_too_long_is_sent_again_with_a_summary(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    turns = talk(narrow("stub-r0-ask-m1200", window=128_000), send)
    assert {turn.status for turn in turns} == {Turn.Status.DONE}
    (made, *_) = summaries(*turns)
    assert made.attributes["reason"].startswith("The provider rejected")
    refused = next(turn for turn in turns if turn.trace_id == made.trace_id)
    states = [span.status for span in attempts(refused)]
    assert states == ["failed", "succeeded", "succeeded"]
    assert is_sendable(wire(turns[-1]))


def test_what_is_too_long_with_a_summary_too_is_cut(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    agent = narrow("stub-r0-ask-m1200", window=128_000)
    (*_, last) = talk(agent, send, turns=3)
    ended = answer_rings(send(agent, LONG * 20, last.conversation))
    assert ended.status == Turn.Status.DONE
    assert len(attempts(ended)) <= 5
    assert "the middle was cut to fit the model" in str(wire(ended))


def test_the_first_message_that_nothing_can_shorten_ends_the_turn_in_the_providers_words(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    ended = answer_rings(send(narrow("stub-r0-ask-m100", window=128_000), LONG))
    assert (ended.status, len(attempts(ended))) == (Turn.Status.FAILED, 2)
    assert summaries(ended) == []
    assert "maximum context length" in ended.error
    assert "Offer fewer tools" in ended.error


@pytest.mark.parametrize(("fault", "most"), [("f401", 1), ("ffilter-at0", 2), ("f500", 2)])
def test_without_its_summary_the_conversation_goes_on(
    narrow: Callable[..., LanguageModel], send: Send, fault: str, most: int
) -> None:
    """What may pass is tried once more."""
    turns = talk(narrow(f"stub-r0-ask-plain-{fault}"), send)
    assert {turn.status for turn in turns} == {Turn.Status.DONE}
    made = summaries(*turns)
    assert {span.status for span in made} == {Span.Status.FAILED}
    assert all(span.error for span in made)
    assert max(len(summaries(turn)) for turn in turns) == most
    assert not Compaction.objects.exists()


@pytest.mark.parametrize("figure", ["many", -1, 10**30])
def test_what_is_no_number_of_tokens_counts_as_none(
    narrow: Callable[..., LanguageModel], send: Send, figure: Any
) -> None:
    agent = narrow("stub-r0-ask-plain-n5", window=3_000)
    (*_, last) = talk(agent, send, turns=2)
    (said,) = attempts(last)
    said.attributes |= {"usage": {"prompt_tokens": figure}, "guessed": 100}
    said.save(update_fields=["attributes"])
    assert answer_rings(send(agent, LONG, last.conversation)).status == Turn.Status.DONE
    assert Generated(usage={"prompt_tokens": figure}).tokens("prompt_tokens") in (
        0,
        MAX_REPORTED_TOKENS,
    )


def test_a_summary_that_is_longer_than_what_it_stands_for_is_not_used(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    turns = talk(narrow("stub-r0-ask-n800", window=6_000), send, turns=5, text="short")
    made = summaries(*turns)
    assert made
    assert "not shorter" in made[0].error
    assert {turn.status for turn in turns} == {Turn.Status.DONE}


def test_stop_ends_a_summary_and_the_turn(
    narrow: Callable[..., LanguageModel], send: Send, settings: Any
) -> None:
    settings.MODEL_IDLE_SECONDS = 60
    agent = narrow("stub-r0-ask-plain-fsilent", auto_share=0)
    turns = talk(agent, send, turns=6)
    limit(agent, micro_share=0, auto_share=0.5)
    turn = send(agent, "and now?", turns[0].conversation)
    with advancing(turn) as ended:
        wait_for(lambda: summaries(turn))
        stop(turn)
        assert ended(5).status == Turn.Status.STOPPED
    (made,) = summaries(turn)
    assert (made.status, made.error) == (Span.Status.CANCELLED, "")
    assert turn.rounds == 0


def test_a_summary_that_a_worker_left_behind_is_made_again(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    agent = narrow("stub-r0-ask", auto_share=0)
    turns = talk(agent, send, turns=6)
    limit(agent, micro_share=0, auto_share=0.5)
    turn = send(agent, "and now?", turns[0].conversation)
    root = Span.objects.get(trace=turn.trace_id, kind=Span.Kind.TURN)
    kind = Span.Kind.COMPACTION
    left = Span.objects.insert(trace=root.trace, parent=root, kind=kind, name="auto", number=1)
    answer_rings(turn)
    left.refresh_from_db()
    assert left.status == Span.Status.SUPERSEDED
    assert [span.status for span in summaries(turn)] == ["superseded", "succeeded"]
    assert turn.status == Turn.Status.DONE


@pytest.mark.parametrize(
    ("protocol", "model_name"),
    [
        (Protocol(), "stub-r0-ask"),
        (Protocol(dialect="nous"), "stub-nous-r0-ask"),
        (Protocol(dialect="functions"), "stub-r0-ask"),
        (Protocol(Provider.Kind.ANTHROPIC, "", "anthropic"), "stub-r0-ask-z3"),
    ],
    ids=["native", "nous", "functions", "anthropic"],
)
def test_every_dialect_can_send_what_is_left(
    narrow: Callable[..., LanguageModel], send: Send, model_name: str
) -> None:
    turns = talk(narrow(model_name), send, turns=6, text=f"{LONG}\n{SUM}\n{SUM}\nthen\n{SUM}")
    assert {turn.status for turn in turns} == {Turn.Status.DONE}
    assert any(span.status == Span.Status.SUCCEEDED for span in summaries(*turns))


def test_chinese_is_summarised_before_the_window_is_full(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    turns = talk(narrow("stub-r0-ask-m2000"), send, text="我们需要把数据库的内容总结一下。" * 12)
    assert {turn.status for turn in turns} == {Turn.Status.DONE}
    (made, *_) = summaries(*turns)
    assert "The context window was" in made.attributes["reason"]
    assert guess(json.loads(request(made.children.get()))["messages"]) < 0.75 * 2_000


def test_without_a_known_window_a_usual_one_is_meant(model: Model, send: Send) -> None:
    turns = talk(model("stub-r0-ask"), send, turns=3)
    assert {turn.status for turn in turns} == {Turn.Status.DONE}
    assert summaries(*turns) == []


def test_another_branchs_summary_is_not_sent(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    agent = narrow("stub-r0-ask", auto_share=0)
    (*_, last) = talk(agent, send, turns=3)
    turn = send(agent, "and now?", last.conversation)
    body = {"role": "user", "content": "elsewhere"}
    beside = Message.objects.create(
        conversation=last.conversation, parent=last.answer, role="user", body=body
    )
    Compaction.objects.create(
        conversation=last.conversation, kind="summary", upto=beside, summary="of another branch"
    )
    assert "of another branch" not in str(wire(answer_rings(turn)))


def test_a_fork_sends_what_its_source_sent(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    agent = narrow("stub-r0-ask")
    turns = talk(agent, send)
    assert turns[-1].trace is not None
    made = fork(turns[0].user, turns[-1].trace, 1).conversation
    assert made.compactions.count() == turns[0].conversation.compactions.count() > 0
    turn = answer_rings(send(agent, "and now?", made))
    assert "This is a summary of it" in str(wire(turn))


def test_a_summary_is_asked_for_without_tools_and_their_parameters(
    narrow: Callable[..., LanguageModel], send: Send
) -> None:
    agent = narrow("stub-r0-ask")
    agent.parameters = {"tool_choice": "auto", "temperature": 0.2}
    agent.save()
    (made, *_) = summaries(*talk(agent, send))
    asked = json.loads(request(made.children.get()))
    assert "tools" not in asked
    assert "tool_choice" not in asked
    assert asked["temperature"] == 0.2
