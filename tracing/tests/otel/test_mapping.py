"""What a receiver gets of a turn: the tree, and every attribute."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tracing.export.otlp import content, limits
from tracing.export.otlp.collector import Collector
from tracing.export.otlp.mapping import mapped, spans_of
from tracing.export.otlp.providers import provider_name
from tracing.tests.builders import ATurn
from tracing.tests.otel.receiver import Receiver, attributes
from tracing.tests.otel.turns import a_call, a_finished_turn

pytestmark = pytest.mark.django_db


def exported(turn: ATurn) -> None:
    answer = Collector().send(mapped(turn.trace, spans_of(turn.trace)))
    assert answer.verdict.value == "taken", answer.why


def generation(receiver: Receiver, number: int) -> Any:
    """The attempts of all rounds, in order."""
    return [span for span in receiver.spans if span.name == "chat qwen-72b"][number]


def test_the_tree_is_the_turn_s(receiver: Receiver) -> None:
    exported(a_finished_turn())
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
    exported(turn)
    exported(turn)
    ids = [(span.trace_id, span.span_id, span.parent_span_id) for span in receiver.spans]
    assert ids[:7] == ids[7:]
    assert {trace for trace, _, _ in ids} == {turn.trace.public_id.bytes}
    assert len({span for _, span, _ in ids}) == 7


def test_kinds_are_those_of_both_vocabularies(receiver: Receiver) -> None:
    exported(a_finished_turn())
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
    exported(turn)
    span = generation(receiver, 1)
    assert span.end_time_unix_nano - span.start_time_unix_nano == 500_000_000
    micros = round((turn.at(200) - turn.at(200).replace(microsecond=0)).total_seconds() * 1e6)
    assert span.start_time_unix_nano % 1_000_000_000 == micros * 1000


def test_a_generation_without_content(receiver: Receiver) -> None:
    turn = a_finished_turn()
    exported(turn)
    conversation = turn.trace.attributes["conversation"]
    assert attributes(generation(receiver, 1)) == {
        "session.id": conversation,
        "user.id": str(turn.trace.owner_id),
        "gen_ai.conversation.id": conversation,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "my_server",
        "gen_ai.request.model": "qwen-72b",
        "gen_ai.request.stream": True,
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.max_tokens": 500,
        "gen_ai.request.seed": 7,
        "gen_ai.request.stop_sequences": ["END"],
        "gen_ai.response.id": "resp-1",
        "gen_ai.response.model": "qwen-72b-0901",
        "gen_ai.response.finish_reasons": ["tool_calls"],
        "gen_ai.response.time_to_first_chunk": 0.25,
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
        "gen_ai.usage.cache_read.input_tokens": 100,
        "gen_ai.usage.cache_write.input_tokens": 10,
        "gen_ai.usage.cache_creation.input_tokens": 10,
        "gen_ai.usage.reasoning.output_tokens": 12,
        "http.response.status_code": 200,
        "server.address": "models.example",
        "server.port": 8443,
        "openinference.span.kind": "LLM",
        "llm.model_name": "qwen-72b-0901",
        "llm.provider": "my_server",
        "llm.system": "openai",
        "llm.invocation_parameters": (
            '{"temperature":0,"top_p":0.9,"max_tokens":500,"seed":7,"stop":"END"}'
        ),
        "llm.token_count.prompt": 120,
        "llm.token_count.completion": 30,
        "llm.token_count.total": 150,
        "llm.token_count.prompt_details.cache_read": 100,
        "llm.token_count.prompt_details.cache_write": 10,
        "llm.token_count.completion_details.reasoning": 12,
        "roundtrip.attempt": 2,
        "roundtrip.status": "succeeded",
    }


@pytest.mark.usefixtures("content")
def test_messages_in_parts(receiver: Receiver) -> None:
    exported(a_finished_turn())
    found = attributes(generation(receiver, 2))
    assert json.loads(found["gen_ai.input.messages"]) == [
        {"role": "system", "parts": [{"type": "text", "content": "You answer briefly."}]},
        {"role": "user", "parts": [{"type": "text", "content": "数据库有几张表?"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "I look."},
                {
                    "type": "tool_call",
                    "id": "call_1",
                    "name": "db-query",
                    "arguments": {"sql": "SELECT 1"},
                },
            ],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "call_1", "response": "7 tables"}],
        },
    ]
    assert json.loads(found["gen_ai.output.messages"]) == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "七张表。"}],
            "finish_reason": "stop",
        }
    ]
    assert json.loads(found["gen_ai.system_instructions"]) == [
        {"type": "text", "content": "You answer briefly."}
    ]
    (definition,) = json.loads(found["gen_ai.tool.definitions"])
    assert (definition["type"], definition["name"]) == ("function", "db-query")


@pytest.mark.usefixtures("content")
def test_messages_flattened(receiver: Receiver) -> None:
    exported(a_finished_turn())
    found = attributes(generation(receiver, 2))
    told = {key: value for key, value in found.items() if ".message." in key}
    assert told == {
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": "You answer briefly.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": "数据库有几张表?",
        "llm.input_messages.2.message.role": "assistant",
        "llm.input_messages.2.message.tool_calls.0.tool_call.id": "call_1",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "db-query",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": (
            '{"sql":"SELECT 1"}'
        ),
        "llm.input_messages.3.message.role": "tool",
        "llm.input_messages.3.message.content": "7 tables",
        "llm.input_messages.3.message.tool_call_id": "call_1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "七张表。",
    }
    assert json.loads(found["llm.tools.0.tool.json_schema"])["function"]["name"] == "db-query"
    assert (found["output.value"], found["output.mime_type"]) == ("七张表。", "text/plain")
    assert found["input.mime_type"] == "application/json"


@pytest.mark.usefixtures("content")
def test_instructions_that_travel_apart_stand_apart(receiver: Receiver) -> None:
    exported(a_finished_turn(dialect="anthropic", base_url="https://api.anthropic.com"))
    found = attributes(generation(receiver, 1))
    assert [one["role"] for one in json.loads(found["gen_ai.input.messages"])] == ["user"]
    assert "briefly" in found["gen_ai.system_instructions"]
    assert (found["gen_ai.provider.name"], found["llm.system"]) == ("anthropic", "anthropic")


def test_a_call_has_the_attributes_of_mcp(receiver: Receiver) -> None:
    turn = a_finished_turn()
    exported(turn)
    conversation = turn.trace.attributes["conversation"]
    found = attributes(receiver.named("execute_tool db-query"))
    assert json.loads(found.pop("tool.parameters"))["properties"] == {"sql": {"type": "string"}}
    assert found == {
        "session.id": conversation,
        "user.id": str(turn.trace.owner_id),
        "gen_ai.conversation.id": conversation,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "db-query",
        "gen_ai.tool.description": "Runs a query.",
        "gen_ai.tool.type": "extension",
        "gen_ai.tool.call.id": "call_1",
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2025-11-25",
        "mcp.session.id": "s-1",
        "jsonrpc.request.id": "3",
        "network.transport": "tcp",
        "server.address": "mcp.example",
        "server.port": 443,
        "openinference.span.kind": "TOOL",
        "tool.name": "db-query",
        "tool.description": "Runs a query.",
        "roundtrip.mcp.server": "db",
        "roundtrip.status": "succeeded",
    }


@pytest.mark.usefixtures("content")
def test_a_call_with_content(receiver: Receiver) -> None:
    exported(a_finished_turn())
    found = attributes(receiver.named("execute_tool db-query"))
    assert json.loads(found["gen_ai.tool.call.arguments"]) == {"sql": "SELECT 1"}
    assert json.loads(found["gen_ai.tool.call.result"])["content"][0]["text"] == "7 tables"
    assert (found["input.value"], found["input.mime_type"]) == (
        '{"sql":"SELECT 1"}',
        "application/json",
    )
    assert (found["output.value"], found["output.mime_type"]) == ("7 tables", "text/plain")


@pytest.mark.usefixtures("content")
def test_the_turn_has_question_and_answer(receiver: Receiver) -> None:
    exported(a_finished_turn())
    found = attributes(receiver.named("invoke_agent Roundtrip"))
    assert (found["input.value"], found["output.value"]) == ("数据库有几张表?", "七张表。")
    assert found["gen_ai.operation.name"] == "invoke_agent"
    assert found["gen_ai.agent.name"] == found["agent.name"] == "Roundtrip"
    assert found["gen_ai.provider.name"] == "my_server"


def test_a_failed_attempt_is_an_error(receiver: Receiver) -> None:
    exported(a_finished_turn())
    failed = generation(receiver, 0)
    assert (failed.status.code, attributes(failed)["error.type"]) == (2, "503")
    assert failed.status.message == "503"
    assert attributes(failed)["roundtrip.attempt"] == 1


@pytest.mark.usefixtures("content")
def test_a_provider_s_sentence_leaves_with_content_only(receiver: Receiver) -> None:
    exported(a_finished_turn())
    assert generation(receiver, 0).status.message == "The provider said: 数据库 is closed."


@pytest.mark.parametrize(
    ("status", "met", "code", "kind"),
    [
        ("failed", {}, 2, "tool_error"),
        ("failed", {"error_code": "-32602"}, 2, "-32602"),
        ("outcome_unknown", {}, 2, "outcome_unknown"),
        ("denied", {}, 0, None),
        ("cancelled", {}, 0, None),
    ],
)
def test_what_a_person_chose_is_no_error(
    receiver: Receiver, status: str, met: dict[str, str], code: int, kind: str | None
) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 900))
    a_call(turn, status=status, attributes={"server": "db", "mcp": met})
    turn.end(900)
    exported(turn)
    span = receiver.named("execute_tool db-query")
    assert (span.status.code, attributes(span).get("error.type")) == (code, kind)


@pytest.mark.parametrize(
    ("noted", "kind"),
    [
        ({"error_kind": "StatusFailure", "status_code": 429}, "429"),
        ({"error_kind": "NotAStream", "status_code": 200}, "not_a_stream"),
        ({"error_kind": "Stalled", "status_code": 200}, "timeout"),
        ({"error_kind": "Overdue"}, "timeout"),
        ({"error_kind": "ConnectFailed"}, "connect_failed"),
        ({"error_kind": "any words at all"}, "_OTHER"),
        ({}, "_OTHER"),
    ],
)
def test_a_call_and_what_it_ended_fail_by_status_or_kind(
    receiver: Receiver, noted: dict[str, Any], kind: str
) -> None:
    turn = ATurn()
    turn.root.status = "failed"
    turn.root.save()
    turn.a_round(1, (0, 900), status="failed")
    turn.a_generation({}, (0, 900), status="failed", attributes={"model": "qwen", **noted})
    turn.end(900, "failed")
    exported(turn)
    for name in ("invoke_agent Roundtrip", "round 1", "chat qwen"):
        assert attributes(receiver.named(name))["error.type"] == kind


def test_a_turn_that_a_ceiling_ended_did_not_fail_by_its_model_call(receiver: Receiver) -> None:
    turn = a_finished_turn()
    turn.root.status = "failed"
    turn.root.save()
    exported(turn)
    assert attributes(receiver.named("invoke_agent Roundtrip"))["error.type"] == "_OTHER"


def test_names_that_a_model_invents_are_no_names_of_spans(receiver: Receiver) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 900))
    noted = {"server": "", "tool": "fly", "offered": False}
    a_call(turn, name="fly", status="failed", attributes=noted)
    turn.end(900)
    exported(turn)
    found = attributes(receiver.named("execute_tool _unknown"))
    assert (found["gen_ai.tool.name"], found["error.type"]) == ("fly", "unknown_tool")


def test_nothing_that_was_said_leaves_without_consent(receiver: Receiver) -> None:
    exported(a_finished_turn())
    (request,) = receiver.requests
    for said in ("数据库", "briefly", "SELECT", "7 tables", "I look", "七张表"):
        assert said.encode() not in request.body


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        ("true", True),
        ("SPAN_ONLY", True),
        ("span_and_event", True),
        ("EVENT_ONLY", False),
        ("NO_CONTENT", False),
        ("false", False),
        ("", False),
    ],
)
def test_the_values_that_let_content_leave(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, value: str, leaves: bool
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
    exported(a_finished_turn())
    assert ("gen_ai.input.messages" in attributes(generation(receiver, 1))) is leaves


def test_the_agent_is_the_preset(receiver: Receiver) -> None:
    turn = a_finished_turn()
    turn.trace.attributes["preset"] = "Database assistant"
    exported(turn)
    found = attributes(receiver.named("invoke_agent Database assistant"))
    assert found["gen_ai.agent.name"] == "Database assistant"


def test_a_probe_is_no_agent(receiver: Receiver) -> None:
    turn = a_finished_turn()
    turn.trace.kind = "probe"
    turn.trace.attributes = {}
    exported(turn)
    found = attributes(receiver.named("probe"))
    assert found["openinference.span.kind"] == "CHAIN"
    assert found["session.id"] == str(turn.trace.public_id)
    assert "gen_ai.conversation.id" not in found


def test_a_call_leads_back_to_its_trace(receiver: Receiver, settings: Settings) -> None:
    settings.ROUNDTRIP_URL = "https://chat.example"
    turn = a_finished_turn()
    exported(turn)
    found = attributes(receiver.named("invoke_agent Roundtrip"))
    assert found["roundtrip.url"] == f"https://chat.example/traces/{turn.trace.public_id}/"


def test_what_a_call_cost(receiver: Receiver) -> None:
    exported(a_finished_turn(prices={"in": "1", "cached": "0.1", "out": "2"}))
    found = attributes(generation(receiver, 1))
    assert found["llm.cost.total"] == pytest.approx((20 + 10 + 60) / 1_000_000)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://me.openai.azure.com/openai", "azure.ai.openai"),
        ("https://api.deepseek.com", "deepseek"),
        ("https://notopenai.com.evil.example", "my_server"),
        ("http://127.0.0.1:11434/v1", "my_server"),
        ("no url", "my_server"),
    ],
)
def test_providers_have_the_convention_s_names(url: str, name: str) -> None:
    assert provider_name({"base_url": url, "provider": "My Server"}) == name


@pytest.mark.usefixtures("content")
def test_a_trace_that_had_its_share_carries_what_is_newest(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "MAX_EXPORTED_TRACE", 1)
    monkeypatch.setattr(limits, "LEAST", 1)
    exported(a_finished_turn())
    found = attributes(generation(receiver, 2))
    written = json.loads(found["gen_ai.input.messages"])
    assert [message["role"] for message in written] == ["system", "tool"]
    assert found["roundtrip.messages_left_out"] == 2


def test_the_queries_do_not_grow_with_the_rounds(
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    turn = a_finished_turn()
    for number in range(3, 9):
        turn.a_round(number, (2000, 2100))
        a_call(turn)
    with django_assert_num_queries(3):
        assert len(list(mapped(turn.trace, spans_of(turn.trace)))) == 19
