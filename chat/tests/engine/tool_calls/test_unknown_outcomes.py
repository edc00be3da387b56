"""A call whose outcome nobody knows: the request, the card and the trace give the same reason."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat import turn_facts
from chat.engine.generation import recording
from chat.engine.tool_calls import call_claims, call_outcome
from chat.engine.tool_calls.endings import WORKER_GONE
from chat.engine.turn import claims, endings, journal
from chat.engine.turn.advance import advance
from chat.engine.turn.steps import Finish
from chat.engine.worker import worker_timer
from chat.events.log import client, log_key
from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import Model, Send, attempts, calls, request
from tests import patience
from tests.redis_server import RedisServer
from tools import loop
from tools.mcp import listing, pool
from tools.models import Policy, Server
from tools.tests.servers import odd
from tools.values.call import NOT_KNOWN, ToolResult
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.postgres

Ask = Callable[[str], Turn]


@pytest.fixture(scope="module", autouse=True)
def sessions() -> Iterator[None]:
    yield
    loop.run(_close_sessions(), patience.SECONDS)


async def _close_sessions() -> None:
    await pool.of_loop().close()


@pytest.fixture
def ask(model: Model, send: Send, settings: Settings, redis_server: RedisServer) -> Ask:
    """Lets the model call a tool of the odd server; the call is proposed."""
    settings.TOOL_DEADLINE = 1.0
    row = Server.objects.create(
        name="odd", command=sys.executable, args=[str(Path(odd.__file__))], policy=Policy.ALLOW
    )
    listing.store(row, listing.look(row.config()))

    def to(tool: str) -> Turn:
        turn = send(model("stub-r0-ask-n5"), f"call odd-{tool} {{}}")
        advance(turn.pk)
        return turn

    return to


def sent(turn: Turn) -> Span:
    """Its call, which has just left."""
    call = call_claims.claim_call(calls(turn)[0].pk)
    assert call is not None
    call_claims.mark_sent(call)
    return call.span


def times_out(turn: Turn) -> None:
    answer_rings(turn)


def crashes(turn: Turn) -> None:
    answer_rings(turn)


def loses_its_worker(turn: Turn) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Span.objects.filter(pk=sent(turn).pk).update(lease_expires=past)
    worker_timer.reap_calls()


def is_stopped(turn: Turn) -> None:
    sent(turn)
    turn_facts.stop(turn)
    advance(turn.pk)


UNKNOWN = {
    "time-out": ("hang", times_out, "The server odd did not answer within 1 s."),
    "crash": ("die", crashes, "ended during the call (exited with code 7"),
    "lost worker": ("echo", loses_its_worker, WORKER_GONE.removesuffix(NOT_KNOWN)),
    "stop": ("echo", is_stopped, "The user stopped the turn while it ran."),
}


@pytest.mark.parametrize(("tool", "happens", "reason"), UNKNOWN.values(), ids=UNKNOWN)
def test_the_request_the_card_and_the_trace_give_one_reason(
    ask: Ask, model: Model, send: Send, tool: str, happens: Callable[[Turn], None], reason: str
) -> None:
    turn = ask(tool)
    happens(turn)
    answer_rings(turn)
    assert calls(turn)[0].status == Span.Status.OUTCOME_UNKNOWN
    text = in_request(answer_rings(send(model("stub-n3"), "and now?", turn.conversation)))
    assert text == in_trace(turn) == on_card(turn)
    assert reason in text
    assert text.endswith(NOT_KNOWN)


def in_request(turn: Turn) -> str:
    """The result of the only tool call in what the model was sent."""
    (result,) = [one for one in sent_messages(turn) if one["role"] == "tool"]
    return str(result["content"])


def sent_messages(turn: Turn) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads(request(attempts(turn)[-1]))["messages"]
    return messages


def in_trace(turn: Turn) -> str:
    stored = Payload.objects.select_related("span__trace")
    return payloads.load(stored.get(span=calls(turn)[0], stage="shown")).decode()


def on_card(turn: Turn) -> str:
    """The result in the latest event of the call."""
    log: Any = client().xrange(log_key(turn.conversation.public_id))
    events = [json.loads(next(iter(fields.values()))) for _, fields in log]
    ended = [one for one in events if one["type"] == "call" and one["result"] is not None]
    return str(ended[-1]["result"])


RESULTS = {
    "succeeded": ToolResult.of_text("ready"),
    "failed": ToolResult.error("no such row"),
    "outcome_unknown": ToolResult.not_known("It hangs."),
}


@pytest.mark.parametrize(("status", "result"), RESULTS.items(), ids=RESULTS)
def test_a_call_that_ends_as_its_turn_is_stopped_is_announced_with_its_result(
    ask: Ask, status: str, result: ToolResult
) -> None:
    turn = ask("echo")
    call = call_claims.claim_call(calls(turn)[0].pk)
    assert call is not None
    call_claims.mark_sent(call)
    turn_facts.stop(turn)
    claim = claims.claim(turn.pk)
    assert claim is not None
    as_the_owner_read_it = journal.read(turn.pk)
    call_outcome.finish_call(call, result)
    closed = endings.finish_between_generations(
        claim, as_the_owner_read_it, Finish(Turn.Status.STOPPED)
    )
    assert [(span.status, text) for span, text in closed] == [(status, result.text)]
    recording.announce_end(as_the_owner_read_it.turn, 1, closed)
    assert on_card(turn) == result.text
