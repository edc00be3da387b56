"""A turn of two rounds with a failed attempt and a call of an MCP server's tool."""

import json
from typing import Any

from tracing.tests.builders import ATurn, wire

TOOL = {
    "type": "function",
    "function": {
        "name": "db-query",
        "description": "Runs a query.",
        "parameters": {"type": "object", "properties": {"sql": {"type": "string"}}},
    },
}
SYSTEM = {"role": "system", "content": "You answer briefly."}
QUESTION = {"role": "user", "content": "数据库有几张表?"}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "db-query", "arguments": '{"sql":"SELECT 1"}'},
}
ASKS = {"role": "assistant", "content": "", "reasoning_content": "I look.", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "7 tables"}
ANSWER = {"role": "assistant", "content": "七张表。"}
USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 30,
    "total_tokens": 150,
    "prompt_tokens_details": {"cached_tokens": 100, "cache_creation_tokens": 10},
    "completion_tokens_details": {"reasoning_tokens": 12},
}
NOTED: dict[str, Any] = {
    "provider": "My Server",
    "base_url": "https://models.example:8443/v1",
    "model": "qwen-72b",
    "dialect": "native",
    "parameters": {"temperature": 0, "top_p": 0.9, "max_tokens": 500, "seed": 7, "stop": "END"},
}
CAME_BACK: dict[str, Any] = {
    "status_code": 200,
    "usage": USAGE,
    "answering_model": "qwen-72b-0901",
    "response_id": "resp-1",
    "timings": {"first_byte_ms": 250.0},
}


def a_finished_turn(**noted: Any) -> ATurn:
    turn = ATurn()
    known = {**NOTED, **noted}
    turn.a_round(1, (0, 900))
    failed = {**known, "status_code": 503, "error_kind": "StatusFailure"}
    turn.a_generation(
        {"input": asked(SYSTEM, QUESTION)},
        at=(0, 100),
        status="failed",
        error="The provider said: 数据库 is closed.",
        attributes=failed,
    )
    turn.a_generation(
        {"input": asked(SYSTEM, QUESTION), "output": wire({"message": ASKS})},
        at=(200, 700),
        number=2,
        attributes={**known, **CAME_BACK, "finish_reason": "tool_calls"},
    )
    a_call(turn)
    turn.a_round(2, (900, 1500))
    turn.a_generation(
        {
            "input": asked(SYSTEM, QUESTION, ASKS, RESULT),
            "output": wire({"message": ANSWER}),
        },
        at=(900, 1500),
        attributes={**known, **CAME_BACK, "finish_reason": "stop"},
    )
    turn.root.status, turn.root.ended = "succeeded", turn.at(1500)
    turn.root.save()
    turn.end(1500)
    return turn


def a_call(turn: ATurn, **fields: Any) -> None:
    attributes = {
        "call_id": "call_1",
        "server": "db",
        "tool": "query",
        "timing": {"answer_ms": 90, "protocol": "2025-11-25"},
        "mcp": {
            "transport": "http",
            "host": "mcp.example",
            "port": 443,
            "session": "s-1",
            "request": "3",
        },
    }
    stages = {
        "arguments": b'{"sql":"SELECT 1"}',
        "result": wire({"content": [{"type": "text", "text": "7 tables"}], "is_error": False}),
        "shown": b"7 tables",
    }
    turn.a_call(
        stages, at=(750, 850), number=1, **{"name": "db-query", "attributes": attributes, **fields}
    )


def asked(*messages: dict[str, Any]) -> bytes:
    value = {"messages": messages, "tools": [TOOL], "parameters": NOTED["parameters"]}
    return json.dumps(value, ensure_ascii=False).encode()
