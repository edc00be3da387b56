"""A person asks for a summary: of a conversation at rest at once, else before the next round."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.commands.compact import compact_conversation
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.engine.worker.counting import count_ended
from chat.errors import Rejected
from chat.models import Compaction, Conversation, LanguageModel, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import advancing, attempts, request, stop, wait_for
from tracing.models import Span

pytestmark = [pytest.mark.postgres, pytest.mark.long]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
LONG = "a line that says something of some length. " * 12
SUM = 'call calculate {"expr": "1+1"}'


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    made = model("stub-r0-ask")
    made.preset = Preset.objects.create(name="Agent", tools=["calculate"])
    made.save()
    return made


@pytest.fixture
def rested(agent: LanguageModel, send: Send) -> Conversation:
    """A conversation of four turns."""
    first = answer_rings(send(agent, LONG))
    for _ in range(3):
        answer_rings(send(agent, LONG, first.conversation))
    return first.conversation


def ask(conversation: Conversation, **fields: Any) -> Turn:
    return compact_conversation(
        conversation.owner, conversation, **{"key": str(uuid.uuid4()), **fields}
    )


def wire(turn: Turn) -> str:
    return str(json.loads(request(attempts(turn)[-1]))["messages"])


def test_a_conversation_at_rest_is_summarised_at_once(
    agent: LanguageModel, send: Send, rested: Conversation
) -> None:
    turn = answer_rings(ask(rested, focus="the names"))
    assert (turn.status, turn.rounds) == (Turn.Status.DONE, 0)
    assert turn.tokens_in > 0
    assert "Above all keep: the names" in wire(turn)
    following = answer_rings(send(agent, "and now?", rested))
    assert "This is a summary of it" in wire(following)
    assert following.question is not None
    assert following.question.parent is not None
    assert following.question.parent.role == "assistant"


def test_one_with_nothing_older_is_left_as_it_is(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, LONG))
    with pytest.raises(Rejected, match="Nothing to summarise"):
        ask(turn.conversation)
    assert Turn.objects.count() == 1


def test_what_is_summarised_is_not_summarised_again(rested: Conversation) -> None:
    answer_rings(ask(rested))
    with pytest.raises(Rejected, match="Nothing to summarise"):
        ask(rested)


def test_a_second_wish_is_the_first_one(rested: Conversation) -> None:
    first = ask(rested, key="k")
    assert ask(rested, key="k") == first
    assert ask(rested, key="other") == first
    answer_rings(first)
    assert ask(rested, key="k") == first


def test_a_model_that_is_not_offered_is_named(rested: Conversation, agent: LanguageModel) -> None:
    agent.enabled = False
    agent.save()
    with pytest.raises(Rejected, match="no longer available"):
        ask(rested)


def test_while_a_turn_runs_it_is_done_before_its_next_round(
    agent: LanguageModel, send: Send, rested: Conversation
) -> None:
    running = send(agent, f"{SUM}\nthen\n{SUM}", rested)
    advance(running.pk)
    (call,) = Span.objects.filter(trace=running.trace, kind=Span.Kind.TOOL)
    wish = ask(rested)
    execute(call.pk)
    answer_rings(running)
    made = Span.objects.filter(trace=running.trace, kind=Span.Kind.COMPACTION)
    assert [span.status for span in made] == ["succeeded"]
    assert answer_rings(wish).status == Turn.Status.DONE
    assert Compaction.objects.filter(kind="summary").count() == 1


def test_a_turn_without_another_round_is_followed_by_it(
    agent: LanguageModel, send: Send, rested: Conversation
) -> None:
    running = send(agent, "and now?", rested)
    wish = ask(rested)
    assert (wish.wakeups, wish.status) == (0, Turn.Status.QUEUED)
    answer_rings(running)
    assert answer_rings(wish).status == Turn.Status.DONE
    assert Compaction.objects.filter(kind="summary").count() == 1


def test_what_is_sent_meanwhile_waits_for_it(
    agent: LanguageModel, send: Send, rested: Conversation
) -> None:
    wish = ask(rested)
    following = send(agent, "and now?", rested)
    assert following.wakeups == 0
    answer_rings(wish)
    assert "This is a summary of it" in wire(answer_rings(following))


def test_a_summary_that_fails_is_a_failed_turn(
    model: Model, rested: Conversation, settings: Any
) -> None:
    failing = model("stub-r0-ask-f401")
    turn = answer_rings(ask(rested, model_id=failing.public_id))
    assert turn.status == Turn.Status.FAILED
    assert "rejected the API key" in turn.error


def test_it_can_be_stopped(model: Model, rested: Conversation, settings: Any) -> None:
    settings.MODEL_IDLE_SECONDS = 60
    turn = ask(rested, model_id=model("stub-fsilent").public_id)
    with advancing(turn) as ended:
        wait_for(lambda: attempts(turn))
        stop(turn)
        assert ended(5).status == Turn.Status.STOPPED


def test_the_button_answers_with_the_turn_or_a_sentence(
    client: Client, owner: User, rested: Conversation
) -> None:
    client.force_login(owner)
    url = f"{rested.get_absolute_url()}compact"
    answer = client.post(url, {"key": "k"})
    turn = Turn.objects.get(client_key="k")
    assert (answer.status_code, answer.json()) == (201, {"turn": str(turn.public_id)})
    answer_rings(turn)
    again = client.post(url, {"key": "another"})
    assert again.status_code == 409
    assert "Nothing to summarise" in again.json()["error"]


def test_its_trace_is_shown_and_counted_like_any_other(
    client: Client, owner: User, rested: Conversation
) -> None:
    turn = answer_rings(ask(rested))
    assert turn.trace is not None
    count_ended()
    client.force_login(owner)
    page = client.get(turn.trace.get_absolute_url())
    assert page.status_code == 200
    assert "Summary of older messages" in page.content.decode()
    turn.trace.refresh_from_db()
    assert turn.trace.digested is not None
    assert turn.trace.tokens == turn.tokens_in + turn.tokens_out


def test_nobody_else_can_press_it(client: Client, rested: Conversation) -> None:
    url = f"{rested.get_absolute_url()}compact"
    assert client.post(url, {"key": "k"}).status_code == 302
    client.force_login(User.objects.create_user("other"))
    assert client.post(url, {"key": "k"}).status_code == 404
    assert client.get(url).status_code == 405
