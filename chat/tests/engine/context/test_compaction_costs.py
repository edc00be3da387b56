"""What room costs where there is enough of it: nothing. What a page is told where there is not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.engine.context import history, request_context
from chat.engine.turn import journal
from chat.events.log import client, log_key
from chat.models import Compaction, LanguageModel, Preset, Turn
from chat.tests.engine.conftest import answer_rings, limit
from tests.redis_server import RedisServer

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
LONG = "a line that says something of some length. " * 12
SUM = 'call calculate {"expr": "1+1"}'
ROUNDS = "\nthen\n".join([SUM] * 3)


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    made = model("stub-r0-ask")
    made.preset = Preset.objects.create(name="Agent", tools=["calculate"])
    made.save()
    return made


def told(turn: Turn, type_: str) -> list[dict[str, Any]]:
    """The events of a type in the conversation's log."""
    log: Any = client().xrange(log_key(turn.conversation.public_id))
    events = [json.loads(next(iter(fields.values()))) for _, fields in log]
    return [event for event in events if event["type"] == type_]


def statements(turn: Turn) -> int:
    """How many it takes to know what of the conversation the next request holds."""
    known = journal.read(turn.pk).turn
    past = history.read(known)
    assert known.model is not None
    with CaptureQueriesContext(connection) as captured:
        request_context.read(known, known.model, past, [])
    return len(captured)


def test_a_short_conversation_costs_no_query(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, ROUNDS))
    assert statements(turn) == 0


def test_a_compacted_one_costs_one(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, ROUNDS))
    message = turn.conversation.messages.earliest("id")
    Compaction.objects.create(
        conversation=turn.conversation, kind="summary", upto=message, summary="s"
    )
    assert statements(turn) == 1


def test_one_beyond_half_of_its_window_costs_one(agent: LanguageModel, send: Send) -> None:
    agent.context_window = 1_000
    agent.save()
    assert statements(send(agent, LONG * 5)) == 1


def test_a_page_is_told_when_a_summary_begins_and_what_came_of_it(
    agent: LanguageModel, send: Send, redis_server: RedisServer
) -> None:
    limit(agent, micro_share=0)
    agent.context_window = 2_000
    agent.save()
    turn = answer_rings(send(agent, LONG))
    while not (events := told(turn, "compaction")):
        turn = answer_rings(send(agent, LONG, turn.conversation))
    began, ended = events[:2]
    assert (began["state"], ended["state"]) == ("running", "succeeded")
    assert "context" not in began
    assert ended["tokens_after"] < ended["tokens_before"]
    assert ended["context"]["tokens"] == ended["tokens_after"]
    assert ended["context"]["estimated"]


def test_a_generation_that_ends_tells_how_full_the_window_is(
    agent: LanguageModel, send: Send, redis_server: RedisServer
) -> None:
    turn = answer_rings(send(agent, LONG))
    ended = told(turn, "generation")[-1]
    assert ended["context"]["window"] == 128_000
    assert ended["context"]["tokens"] == turn.tokens_in + turn.tokens_out
