"""A turn from the question to the answer."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.stub import Stub
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.doorbell import TurnRing
from chat.engine.generation import attempts
from chat.engine.turn import claims, journal
from chat.engine.turn.advance import advance
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import OpenRound
from chat.models import LanguageModel, Message, Turn
from chat.tests.engine.conftest import answer_rings
from db.redis_pool import client
from jobs.ring import OWNER_RINGS
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


def test_a_question_gets_an_answer(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-r0-n5")))
    assert turn.status == Turn.Status.DONE
    assert turn.answer is not None
    assert turn.answer.parent == turn.question


@pytest.mark.parametrize("name", ["stub-r0-n50", "stub-d1200-n5"])
def test_the_trace_has_the_exact_bytes(model: Model, send: Send, stub: Stub, name: str) -> None:
    """Also of a generation that takes so long that what was asked is recorded before its end."""
    turn = answer_rings(send(model(name)))
    found = {p.stage: payloads.load(p) for p in Payload.objects.filter(span__trace=turn.trace)}
    request = stub.completions[-1]
    assert found["request"] == request.body
    assert found["response"] == request.sent


def test_tools_are_called_and_their_results_go_back(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-r0-t3-n5")))
    assert turn.status == Turn.Status.DONE, turn.error
    roles = list(Message.objects.filter(turn=turn).order_by("id").values_list("role", flat=True))
    assert roles == ["user", "assistant", "tool", "tool", "tool", "assistant"]
    calls = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    assert {call.status for call in calls} == {Span.Status.SUCCEEDED}


def test_a_turn_waits_for_the_one_before_it(model: Model, send: Send) -> None:
    first = send(model("stub-r0-n5"))
    second = send(model("stub-r0-n5"), "and then?", first.conversation)
    assert answer_rings(second).status == Turn.Status.QUEUED
    first = answer_rings(first)
    second = answer_rings(second)
    assert second.status == Turn.Status.DONE
    assert second.question is not None
    assert second.question.parent == first.answer


def test_a_turn_that_another_process_runs_is_rung_there(
    model: Model, send: Send, redis_server: object
) -> None:
    turn = send(model("stub-r0-n5"))
    assert claims.claim(turn.pk, "its owner") is not None
    advance(turn.pk)
    rings: Any = client().lrange(OWNER_RINGS.format(owner="its owner"), 0, -1)
    assert [TurnRing.decode(ring).turn_id for ring in rings] == [turn.pk]


def test_sending_a_key_again_returns_the_same_turn(model: Model, send: Send) -> None:
    first = send(model("stub-r0-n5"))
    again = send_message(first.user, NewMessage(key=first.client_key, text="something else"))
    assert again == first
    assert Turn.objects.count() == 1


def test_a_question_waits_for_few_statements_before_the_model_is_called(
    model: Model, send: Send, django_assert_max_num_queries: Any
) -> None:
    asked = model("stub-r0-n5")
    with django_assert_max_num_queries(11):
        turn = send(asked)
    with django_assert_max_num_queries(14):
        claim = claims.claim(turn.pk)
        assert claim is not None
        attempts.open_round(claim, journal.read(turn.pk), OpenRound(1), TakenUp.now())
