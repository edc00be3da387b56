"""Subagents and compactions, as a receiver gets them."""

import pytest

from tracing.export.otlp.collector import CollectorClient
from tracing.export.otlp.mapping import map_trace, spans_of
from tracing.models import Trace
from tracing.tests.builders import ATurn
from tracing.tests.otel.receiver import Receiver, attributes

pytestmark = pytest.mark.django_db

LEFT_OUT = {"layer": "auto", "messages": 14, "tokens_before": 9_000}


def exported(*traces: Trace) -> None:
    for trace in traces:
        assert CollectorClient().send(map_trace(trace, spans_of(trace))).verdict.value == "taken"


def test_a_subagent_is_in_its_turn_s_trace_below_the_call(receiver: Receiver) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 900))
    call = turn.a_call({}, (100, 800), 1, name="task")
    nested = turn.a_subagent(call)
    nested.a_round(1, (200, 700))
    nested.a_generation({}, (200, 700), attributes={"model": "qwen"})
    nested.end(700)
    turn.end(900)
    exported(nested.trace, turn.trace)
    names = {span.span_id: span.name for span in receiver.spans}
    tree = [(span.name, names.get(span.parent_span_id, "")) for span in receiver.spans]
    assert tree == [
        ("invoke_agent Roundtrip", "execute_tool task"),
        ("round 1", "invoke_agent Roundtrip"),
        ("chat qwen", "round 1"),
        ("invoke_agent Roundtrip", ""),
        ("round 1", "invoke_agent Roundtrip"),
        ("execute_tool task", "round 1"),
    ]
    assert {span.trace_id for span in receiver.spans} == {turn.trace.public_id.bytes}
    sessions = {attributes(span)["session.id"] for span in receiver.spans}
    assert sessions == {turn.trace.attributes["conversation"]}


def test_a_compaction_says_what_was_left_out(receiver: Receiver) -> None:
    turn = ATurn()
    span = turn.span("compaction", 1, (0, 9), parent=turn.root, attributes=LEFT_OUT, name="auto")
    turn.span("generation", 1, (0, 9), parent=span, attributes={"model": "qwen"})
    turn.end(10)
    exported(turn.trace)
    names = [span.name for span in receiver.spans]
    assert names == ["invoke_agent Roundtrip", "compaction auto", "chat qwen"]
    noted = attributes(receiver.spans[1])
    assert noted["roundtrip.compaction.messages"] == 14
    assert noted["openinference.span.kind"] == "CHAIN"
