"""The attributes of an exported model call."""

import json

import pytest

from tracing.export.otlp import content, limits
from tracing.export.otlp.providers import provider_name
from tracing.tests.otel.exporting import export, model_call
from tracing.tests.otel.receiver import Receiver, attributes
from tracing.tests.otel.turns import a_finished_turn

pytestmark = pytest.mark.django_db


def test_a_generation_without_content(receiver: Receiver) -> None:
    turn = a_finished_turn()
    export(turn)
    conversation = turn.trace.attributes["conversation"]
    assert attributes(model_call(receiver, 1)) == {
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
    export(a_finished_turn())
    found = attributes(model_call(receiver, 2))
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
    export(a_finished_turn())
    found = attributes(model_call(receiver, 2))
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
    export(a_finished_turn(dialect="anthropic", base_url="https://api.anthropic.com"))
    found = attributes(model_call(receiver, 1))
    assert [one["role"] for one in json.loads(found["gen_ai.input.messages"])] == ["user"]
    assert "briefly" in found["gen_ai.system_instructions"]
    assert (found["gen_ai.provider.name"], found["llm.system"]) == ("anthropic", "anthropic")


def test_what_a_call_cost(receiver: Receiver) -> None:
    export(a_finished_turn(prices={"in": "1", "cached": "0.1", "out": "2"}))
    found = attributes(model_call(receiver, 1))
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
    monkeypatch.setattr(limits, "MIN_EXPORTED_SPAN", 1)
    export(a_finished_turn())
    found = attributes(model_call(receiver, 2))
    written = json.loads(found["gen_ai.input.messages"])
    assert [message["role"] for message in written] == ["system", "tool"]
    assert found["roundtrip.messages_left_out"] == 2
