"""Export while turns run: what servers are told, and what a dead collector costs."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from chat.engine.worker.worker_timer import CallBeat
from chat.models import LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings
from tests import patience
from tools.models import Policy, Server
from tools.tests.calling import odd, store_listing
from tracing.export.otlp.beat import ExportBeat
from tracing.models import Collector, Payload, Span, Trace
from tracing.store import payloads
from tracing.tests.otel.conftest import receiver as receiver  # the fixture
from tracing.tests.otel.receiver import Receiver, attributes

pytestmark = pytest.mark.process

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
Ask = Callable[..., Turn]
ECHO = 'call odd-echo {"text": "hello"}'


@pytest.fixture
def ask(transactional_db: None, model: Model, send: Send) -> Iterator[Ask]:
    """A turn whose model calls `echo` of an MCP server."""
    program = odd()
    row = Server.objects.create(
        name="odd", command=program.command, args=list(program.args), policy=Policy.ALLOW
    )
    store_listing(row)
    yield lambda: answer_rings(send(model("stub-r0-ask-n5"), ECHO))


def trace_of(turn: Turn) -> Trace:
    return Trace.objects.get(turn=turn)


def call_of(turn: Turn) -> Span:
    return Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)


def meta(turn: Turn) -> dict[str, str]:
    """`_meta` of the request that called the tool."""
    stored = Payload.objects.select_related("span__trace").get(
        span=call_of(turn), stage=Payload.Stage.FRAMES
    )
    messages = [frame["message"] for frame in payloads.read_json(stored)]
    (params,) = [one["params"] for one in messages if one.get("method") == "tools/call"]
    found: dict[str, str] = params["_meta"]
    return found


def until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + patience.SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def exported(turn: Turn) -> bool:
    return trace_of(turn).exported is not None


def test_a_server_is_told_the_span_that_its_own_belong_below(ask: Ask, receiver: Receiver) -> None:
    turn = ask()
    trace, span = trace_of(turn).public_id.hex, call_of(turn).public_id.hex[16:]
    assert meta(turn)["traceparent"] == f"00-{trace}-{span}-01"


def test_without_export_there_is_none(ask: Ask) -> None:
    assert "traceparent" not in meta(ask())


def test_the_call_knows_its_session_and_its_request(ask: Ask) -> None:
    found = call_of(ask()).attributes["mcp"]
    assert found["transport"] == "stdio"
    assert found["request"].isdecimal()


def test_the_worker_exports_what_ended(ask: Ask, receiver: Receiver) -> None:
    beat = CallBeat()
    beat()
    assert until(Collector.objects.exists)
    turn = ask()
    beat()
    assert until(lambda: exported(turn))
    call = receiver.named("execute_tool odd-echo")
    assert call.span_id == call_of(turn).public_id.bytes[8:]
    assert attributes(call)["network.transport"] == "pipe"
    beat.export.close()
    beat.end_tasks()


def test_no_beat_and_no_turn_waits_for_a_collector_that_hangs(ask: Ask, receiver: Receiver) -> None:
    receiver.hangs.set()
    beat = ExportBeat()
    beat()
    assert until(Collector.objects.exists)
    first = ask()
    beat()
    assert until(lambda: bool(receiver.requests))
    beat()  # while the thread waits for an answer
    second = ask()
    assert (first.status, second.status) == (Turn.Status.DONE, Turn.Status.DONE)
    assert not exported(first)
    receiver.release()
    beat.close()


def test_who_exports_nothing_does_not_load_the_exporter() -> None:
    loaded = modules_after("chat.engine.worker.celery_signals, chat.engine.tool_calls.execute")
    assert not [name for name in loaded if name.startswith("opentelemetry.exporter")]
    assert "opentelemetry.sdk.trace" not in loaded


def modules_after(names: str) -> list[str]:
    """What a process has loaded that imports these."""
    program = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'; "
        f"django.setup(); import {names}; print(*sys.modules)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()
