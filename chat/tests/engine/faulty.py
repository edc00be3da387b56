"""What the tests of a model endpoint's faults share: the protocols that they are for, and what they
look at afterwards."""

import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from benchmarks.stub import LoggedRequest
from chat import turn_facts
from chat.engine.turn.advance import advance
from chat.engine.worker.worker_timer import TurnBeat
from chat.models import LanguageModel, Provider, Turn
from chat.tests.engine.conftest import Protocol, answer_rings
from tests import patience
from tracing.models import Payload, Span
from tracing.store import payloads

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Message = dict[str, Any]

PROTOCOLS = {
    "chat completions": Protocol(),
    "messages": Protocol(Provider.Kind.ANTHROPIC, "", "anthropic"),
}
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
# Where what is tested comes after the dialect: the second protocol is for campaigns.
any_protocol = pytest.mark.parametrize(
    "protocol",
    [Protocol(), pytest.param(PROTOCOLS["messages"], marks=pytest.mark.campaign)],
    ids=PROTOCOLS,
)


def cells(
    names: str, rows: Mapping[str, Any], completions: Collection[str], messages: Collection[str]
) -> pytest.MarkDecorator:
    """Parameters `protocol` and `names`: each row with each protocol. Those whose ids are not
    listed for their protocol take a branch that another one takes: they are for campaigns."""
    listed = {"chat completions": completions, "messages": messages}
    return pytest.mark.parametrize(
        f"protocol, {names}",
        [
            pytest.param(
                protocol,
                *(row if names.count(",") else (row,)),
                marks=() if name in listed[spoken] else pytest.mark.campaign,
                id=f"{name}-{spoken}",
            )
            for spoken, protocol in PROTOCOLS.items()
            for name, row in rows.items()
        ],
    )


def attempts(turn: Turn) -> list[Span]:
    """The generations of a turn, in their order."""
    spans = Span.objects.filter(trace=turn.trace, kind=Span.Kind.GENERATION)
    return list(spans.order_by("id"))


def calls(turn: Turn) -> list[Span]:
    """The tool calls of a turn, in their order."""
    spans = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    return list(spans.order_by("id"))


def response(span: Span) -> tuple[Payload, bytes]:
    stored = Payload.objects.get(span=span, stage=Payload.Stage.RESPONSE)
    return stored, payloads.load(stored)


def request(span: Span) -> bytes:
    return payloads.load(Payload.objects.get(span=span, stage=Payload.Stage.REQUEST))


def has_headers(stored: Payload, sent: LoggedRequest) -> bool:
    """Whether the trace has each header that the stub sent, as it was sent."""
    kept = [(name.lower(), value) for name, value in stored.attributes["headers"]]
    return all((name.lower(), value) in kept for name, value in sent.sent_headers)


def goes_on(turn: Turn, model: Model, send: Send) -> bool:
    """Whether the next message of the conversation gets its answer, out of a history that every
    provider accepts."""
    following = answer_rings(send(model("stub-n3"), "and now?", turn.conversation))
    wire = json.loads(request(attempts(following)[-1]))
    return following.status == Turn.Status.DONE and is_sendable(wire["messages"])


def is_sendable(messages: list[Message]) -> bool:
    """Whether every call has one result, right behind it; and every message says something."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if open_calls.pop(0) != message["tool_call_id"]:
                return False
            continue
        asked = [call["id"] for call in message.get("tool_calls", ())]
        if open_calls or not (message.get("content") or asked) or len(set(asked)) < len(asked):
            return False
        open_calls = asked
    return not open_calls


@contextmanager
def advancing(turn: Turn) -> Iterator[Callable[[float], Turn]]:
    """A worker on this turn. What is given waits for its end, so many seconds at most."""

    def ended(seconds: float) -> Turn:
        running.result(seconds)
        turn.refresh_from_db()
        return turn

    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(_advance, turn)
        yield ended


def _advance(turn: Turn) -> None:
    try:
        advance(turn.pk)
    finally:
        connection.close()


def stop(turn: Turn) -> bool:
    """Stops the turn, and lets the worker's timer see it at once."""
    stopped = turn_facts.stop(turn)
    TurnBeat()()
    return stopped


def wait_for(condition: Callable[[], Any], seconds: float = patience.SECONDS) -> None:
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        pause.wait(0.02)
    raise TimeoutError(f"not within {seconds} s")
