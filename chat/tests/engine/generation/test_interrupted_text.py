"""An attempt whose worker was killed keeps the text that people had read of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from chat.engine.generation import attempts
from chat.engine.generation.attempts import Attempt
from chat.engine.turn import claims, journal
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import OpenRound
from chat.events.scripts import DeltaAppend, Run, RunAppend, append
from chat.models import LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings
from tests.redis_server import RedisServer
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
READ = "数据库 has 𝄞"


def begin(turn: Turn) -> Attempt:
    """The first attempt, of a process whose lease is over."""
    claim = claims.claim(turn.pk)
    assert claim is not None
    attempt = attempts.open_round(claim, journal.read(turn.pk), OpenRound(1), TakenUp.now())
    assert isinstance(attempt, Attempt)
    Turn.objects.filter(pk=turn.pk).update(lease_expires=timezone.now())
    return attempt


def show(attempt: Attempt, text: str) -> None:
    turn = attempt.turn
    run = Run(turn.public_id, attempt.generation.public_id, 1, 1)
    delta = json.dumps({"type": "delta", "epoch": 1, "text": text})
    conversation = str(turn.conversation.public_id)
    append(
        [
            RunAppend(run),
            DeltaAppend(conversation, delta, str(turn.public_id), "content", 0, text.encode()),
        ]
    )


def outputs(turn: Turn) -> list[Any]:
    stored = Payload.objects.filter(span__trace=turn.trace, stage="output").order_by("span")
    return [json.loads(payloads.load(one)) for one in stored.select_related("span__trace")]


def statuses(turn: Turn) -> list[str]:
    spans = Span.objects.filter(trace=turn.trace, kind="generation").order_by("number")
    return list(spans.values_list("status", flat=True))


def test_the_text_shown_is_the_output_of_the_attempt(
    model: Model, send: Send, redis_server: RedisServer
) -> None:
    turn = send(model("stub-n4-s1"))
    show(begin(turn), READ)
    turn = answer_rings(turn)
    assert statuses(turn) == ["superseded", "succeeded"]
    first, second = outputs(turn)
    assert first["message"] == {"role": "assistant", "content": READ}
    assert turn.answer is not None and second["message"] == turn.answer.body


def test_without_a_text_the_attempt_has_no_output(
    model: Model, send: Send, redis_server: RedisServer
) -> None:
    turn = send(model("stub-n4-s1"))
    begin(turn)
    turn = answer_rings(turn)
    assert (statuses(turn), len(outputs(turn))) == (["superseded", "succeeded"], 1)


def test_while_redis_is_down_the_turn_goes_on_without_it(model: Model, send: Send) -> None:
    turn = send(model("stub-n4-s1"))
    begin(turn)
    turn = answer_rings(turn)
    assert (turn.status, len(outputs(turn))) == (Turn.Status.DONE, 1)
