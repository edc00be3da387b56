"""Stop at any moment: within two seconds, the first final state stays, the text is what was shown
until then, and the conversation goes on."""

import json
import random
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from benchmarks.stub import Stub
from benchmarks.stub.text import TIMED_TOKEN
from chat import turn_facts
from chat.events.log import client, log_key
from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import (
    Model,
    Send,
    advancing,
    any_protocol,
    attempts,
    calls,
    cells,
    every_protocol,
    goes_on,
    stop,
    wait_for,
)
from tests.redis_server import RedisServer

pytestmark = pytest.mark.process

THINKING, TALKING, CALLING = 4, 5, 6
# After how many tokens the model is silent: in the middle of its reasoning, of its text, of a call.
MOMENTS = {str(moment): moment for moment in range(THINKING + TALKING + CALLING + 1)}
# The first and the last of each part.
EDGES = {"0", "1", "4", "5", "9", "10", "15"}
SEEDS = {str(seed): seed for seed in range(12)}


@pytest.fixture(autouse=True)
def unhurried(settings: Settings, redis_server: RedisServer) -> None:
    settings.MODEL_IDLE_SECONDS = 60


def shown(turn: Turn) -> dict[str, str]:
    """The text that a client has seen by now: what the events of the log add up to."""
    texts = {"content": "", "reasoning": ""}
    log: Any = client().xrange(log_key(turn.conversation.public_id))
    for _, fields in log:
        event: dict[str, Any] = json.loads(next(iter(fields.values())))
        if event.get("turn") != str(turn.public_id):
            continue
        if event["type"] == "delta":
            texts[event["part"]] += event["text"]
        elif event["type"] == "text":
            texts = dict(event["parts"])
    return texts


def kept(turn: Turn) -> dict[str, str]:
    """The text of the turn's answer."""
    body = turn.answer.body if turn.answer else {}
    return {
        "content": body.get("content") or "",
        "reasoning": body.get("reasoning_content") or "",
    }


def tokens(texts: dict[str, str]) -> int:
    return sum(len(TIMED_TOKEN.findall(text)) for text in texts.values())


@every_protocol
@pytest.mark.parametrize("name", ["stub-fsilent", "stub-d60000"])
def test_stop_ends_a_model_that_says_nothing(
    model: Model, send: Send, stub: Stub, name: str
) -> None:
    before = len(stub.completions)
    turn = send(model(name))
    with advancing(turn) as ended:
        stub.wait_for(lambda asked: len(asked) > before)
        stop(turn)
        assert ended(2).status == Turn.Status.STOPPED
    assert stub.wait_for(lambda asked: asked[-1].ended_us)[-1].cut
    assert attempts(turn)[0].attributes["cut"] == "stopped"
    assert turn.answer is None
    assert goes_on(turn, model, send)


@cells("moment", MOMENTS, completions=EDGES, messages={"2", "7", "12"})
def test_stop_keeps_exactly_what_was_shown(
    model: Model, send: Send, stub: Stub, moment: int
) -> None:
    name = f"stub-z{THINKING}-p{TALKING}-t2-fstall-at{moment}"
    spoken = min(moment, THINKING + TALKING)
    before = len(stub.completions)
    turn = send(model(name))
    with advancing(turn) as ended:
        stub.wait_for(lambda asked: len(asked) > before)
        wait_for(lambda: tokens(shown(turn)) == spoken)
        stop(turn)
        assert ended(2).status == Turn.Status.STOPPED
    # What was written of a call is shown while it comes, and is no part of the message.
    assert kept(turn) == {part: text for part, text in shown(turn).items() if part != "calls"}
    assert tokens(kept(turn)) == spoken
    assert calls(turn) == []
    assert attempts(turn)[0].status == "cancelled"
    assert stub.wait_for(lambda asked: asked[-1].ended_us)[-1].cut
    assert goes_on(turn, model, send)


@cells("seed", SEEDS, completions={"0", "3", "5", "8"}, messages={"1", "6"})
def test_stop_at_any_byte_leaves_a_prefix_of_the_answer(
    model: Model, send: Send, stub: Stub, seed: int
) -> None:
    name = f"stub-s{seed}-c{seed}-r400-z20-n60"
    whole = answer_rings(send(model(name)))
    wanted = random.Random(seed).randrange(len(stub.completions[-1].sent))
    before = len(stub.completions)
    turn = send(model(name))
    with advancing(turn) as ended:
        stub.wait_for(lambda asked: len(asked) > before and len(asked[-1].sent) >= wanted)
        stop(turn)
        first = ended(2).status
    assert kept(turn) == shown(turn)
    for part, text in kept(turn).items():
        assert kept(whole)[part].startswith(text)
    assert not turn_facts.stop(turn)
    assert answer_rings(turn).status == first
    assert goes_on(turn, model, send)


@any_protocol
def test_stop_after_the_end_changes_nothing(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-n3")))
    assert not stop(turn)
    assert answer_rings(turn).status == Turn.Status.DONE


@any_protocol
def test_stop_before_a_worker_came_ends_the_turn_without_a_call(
    model: Model, send: Send, stub: Stub
) -> None:
    before = len(stub.completions)
    turn = send(model("stub-n3"))
    assert turn_facts.stop(turn)
    assert answer_rings(turn).status == Turn.Status.STOPPED
    assert len(stub.completions) == before
    assert goes_on(turn, model, send)
