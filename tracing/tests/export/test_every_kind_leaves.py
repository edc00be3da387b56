"""Every kind of trace as JSON, as a cassette and in a selection, streamed in an event loop."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from asgiref.sync import async_to_sync
from django.http import StreamingHttpResponse
from django.test import AsyncClient
from django.urls import reverse

from tracing.models import Action, Trace
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = [pytest.mark.django_db, pytest.mark.long]

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Find the bug"}]}
STAGES = {
    "input": wire({**ASKED, "tools": [], "parameters": {}}),
    "request": wire(ASKED),
    "response": b"data: [DONE]\n\n",
    "output": wire({"message": {"role": "assistant", "content": "Here"}}),
}
DETAILS: dict[str, Any] = {"response": {"attributes": {"status": 200, "headers": []}}}
PLAIN = [Trace.Kind.PROBE, Trace.Kind.TRIAL, Trace.Kind.PLAYGROUND, Trace.Kind.REPLAY]


def a_round(turn: ATurn) -> None:
    turn.a_round(1, (0, 900))
    turn.a_generation(STAGES, (0, 600), details=DETAILS)


def a_turn(kind: str = Trace.Kind.TURN) -> ATurn:
    turn = ATurn(a_user())
    Trace.objects.filter(pk=turn.trace.pk).update(kind=kind)
    a_round(turn)
    turn.end(1000)
    return turn


def retried() -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 900))
    failed: dict[str, Any] = {"status": "failed", "error": "503"}
    turn.a_generation(STAGES, (0, 90), details=DETAILS, **failed)
    turn.a_generation(STAGES, (100, 600), number=2, details=DETAILS)
    turn.end(1000)
    return turn


def compacted() -> ATurn:
    turn = a_turn()
    made = turn.span("compaction", 1, (900, 950), parent=turn.root)
    turn.store(turn.span("generation", 1, (900, 950), parent=made), STAGES, DETAILS)
    turn.a_round(2, (950, 990))
    turn.a_generation(STAGES, (950, 990), details=DETAILS)
    return turn


def delegating() -> ATurn:
    turn = a_turn()
    call = turn.a_call({"arguments": b"{}", "shown": b"Here"}, (610, 890), 1)
    Action.objects.create(trace=turn.trace, span=call, user=turn.archive.owner, kind="approve")
    nested = turn.a_subagent(call)
    a_round(nested)
    a_round(nested.a_subagent(nested.a_call({"arguments": b"{}"}, (610, 800), 1)))
    return turn


def subagent() -> ATurn:
    turn = delegating()
    turn.trace = Trace.objects.get(parent__trace=turn.trace)
    return turn


def subagent_of_a_subagent() -> ATurn:
    turn = delegating()
    turn.trace = Trace.objects.get(parent__trace__parent__trace=turn.trace)
    return turn


KINDS: dict[str, Any] = {
    "turn": a_turn,
    "a turn without a round": lambda: ATurn(a_user()),
    **{kind.value: (lambda kind=kind: a_turn(kind)) for kind in PLAIN},
    **{
        made.__name__: made
        for made in (retried, compacted, delegating, subagent, subagent_of_a_subagent)
    },
}


@pytest.fixture(params=KINDS)
def trace(request: pytest.FixtureRequest) -> Trace:
    turn: ATurn = KINDS[request.param]()
    return Trace.objects.get(pk=turn.trace.pk)


def test_every_kind_of_trace_leaves_as_json(trace: Trace) -> None:
    document = read(trace, "get", reverse("tracing:trace_json", args=[trace.public_id]))
    assert document["id"] == str(trace.public_id)
    assert ("call" in document) == (trace.kind == Trace.Kind.SUBAGENT)


def test_every_kind_of_trace_leaves_as_a_cassette(trace: Trace) -> None:
    cassette = read(trace, "get", reverse("tracing:cassette", args=[trace.public_id]))
    assert cassette["turns"][0]["trace"] == str(trace.public_id)


@pytest.mark.parametrize("name", ["list_export", "list_cassette"])
def test_every_kind_of_trace_leaves_in_a_selection(trace: Trace, name: str) -> None:
    chosen = {"trace": str(trace.public_id)}
    document = read(trace, "post", reverse(f"tracing:{name}"), chosen)
    (first, *_) = document.get("traces") or document["turns"]
    assert str(trace.public_id) in (first.get("id"), first.get("trace"))


def read(trace: Trace, method: str, address: str, posted: dict[str, str] | None = None) -> Any:
    return json.loads(async_to_sync(_streamed)(trace, method, address, posted))


async def _streamed(
    trace: Trace, method: str, address: str, posted: dict[str, str] | None
) -> bytes:
    client = AsyncClient()
    owner = await Trace.objects.select_related("owner").aget(pk=trace.pk)
    await client.aforce_login(owner.owner)
    response = await getattr(client, method)(address, posted)
    assert isinstance(response, StreamingHttpResponse)
    return b"".join([part async for part in cast("AsyncIterator[bytes]", response)])
