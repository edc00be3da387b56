"""The tree of exported spans: names, ids, kinds, times, and the root."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from pytest_django.fixtures import Settings

from tracing.export.otlp.mapping import map_trace, spans_of
from tracing.tests.otel.exporting import export, model_call
from tracing.tests.otel.receiver import Receiver, attributes
from tracing.tests.otel.turns import a_call, a_finished_turn

pytestmark = pytest.mark.django_db


def test_the_tree_is_the_turn_s(receiver: Receiver) -> None:
    export(a_finished_turn())
    names = {span.span_id: span.name for span in receiver.spans}
    tree = [(span.name, names.get(span.parent_span_id, "")) for span in receiver.spans]
    assert tree == [
        ("invoke_agent Roundtrip", ""),
        ("round 1", "invoke_agent Roundtrip"),
        ("chat qwen-72b", "round 1"),
        ("chat qwen-72b", "round 1"),
        ("execute_tool db-query", "round 1"),
        ("round 2", "invoke_agent Roundtrip"),
        ("chat qwen-72b", "round 2"),
    ]


def test_a_second_export_gives_the_same_ids(receiver: Receiver) -> None:
    turn = a_finished_turn()
    export(turn)
    export(turn)
    ids = [(span.trace_id, span.span_id, span.parent_span_id) for span in receiver.spans]
    assert ids[:7] == ids[7:]
    assert {trace for trace, _, _ in ids} == {turn.trace.public_id.bytes}
    assert len({span for _, span, _ in ids}) == 7


def test_kinds_are_those_of_both_vocabularies(receiver: Receiver) -> None:
    export(a_finished_turn())
    kinds = {
        (span.name.split()[0], span.kind, attributes(span)["openinference.span.kind"])
        for span in receiver.spans
    }
    internal, client = 1, 3
    assert kinds == {
        ("invoke_agent", internal, "AGENT"),
        ("round", internal, "CHAIN"),
        ("chat", client, "LLM"),
        ("execute_tool", internal, "TOOL"),
    }


def test_times_are_exact(receiver: Receiver) -> None:
    turn = a_finished_turn()
    export(turn)
    span = model_call(receiver, 1)
    assert span.end_time_unix_nano - span.start_time_unix_nano == 500_000_000
    micros = round((turn.at(200) - turn.at(200).replace(microsecond=0)).total_seconds() * 1e6)
    assert span.start_time_unix_nano % 1_000_000_000 == micros * 1000


def test_the_agent_is_the_preset(receiver: Receiver) -> None:
    turn = a_finished_turn()
    turn.trace.attributes["preset"] = "Database assistant"
    export(turn)
    found = attributes(receiver.named("invoke_agent Database assistant"))
    assert found["gen_ai.agent.name"] == "Database assistant"


def test_a_probe_is_no_agent(receiver: Receiver) -> None:
    turn = a_finished_turn()
    turn.trace.kind = "probe"
    turn.trace.attributes = {}
    export(turn)
    found = attributes(receiver.named("probe"))
    assert found["openinference.span.kind"] == "CHAIN"
    assert found["session.id"] == str(turn.trace.public_id)
    assert "gen_ai.conversation.id" not in found


def test_a_call_leads_back_to_its_trace(receiver: Receiver, settings: Settings) -> None:
    settings.ROUNDTRIP_URL = "https://chat.example"
    turn = a_finished_turn()
    export(turn)
    found = attributes(receiver.named("invoke_agent Roundtrip"))
    assert found["roundtrip.url"] == f"https://chat.example/traces/{turn.trace.public_id}/"


def test_the_queries_do_not_grow_with_the_rounds(
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    turn = a_finished_turn()
    for number in range(3, 9):
        turn.a_round(number, (2000, 2100))
        a_call(turn)
    with django_assert_num_queries(3):
        assert len(list(map_trace(turn.trace, spans_of(turn.trace)))) == 19
