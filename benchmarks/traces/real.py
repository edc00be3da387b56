"""Turns with payloads: the messages grow by a tool call and its result in each round."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tracing.models import Archive, Span, Trace
from tracing.store import payloads

_SYSTEM = "You are a database assistant. 请用工具查询数据库, 不要猜测。" * 12
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Runs a query and returns its rows. 执行查询并返回结果。" * 3,
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        },
    }
    for name in ("sqlite-read_query", "sqlite-write_query", "sqlite-list_tables")
]


def real_turn(owner: Any, rounds: int, at: datetime, name: str) -> Trace:
    """A turn in an archive of its own; its stages are stored as the engine stores them."""
    archive = Archive.objects.create(owner=owner, created=at)
    trace = Trace.objects.create(
        archive=archive, owner=owner, name=name, started=at, attributes={"model": "qwen3-32b"}
    )
    root = Span.objects.create(trace=trace, kind="turn", name="turn", started=at)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": name},
    ]
    for number in range(1, rounds + 1):
        began = at + timedelta(seconds=number)
        _round(trace, root, number, began, messages, is_last=number == rounds)
    ended = at + timedelta(seconds=rounds + 1)
    Span.objects.filter(pk=root.pk).update(status="succeeded", ended=ended)
    Trace.objects.filter(pk=trace.pk).update(status="succeeded", ended=ended)
    trace.refresh_from_db()
    return trace


@dataclass(frozen=True)
class _RoundSpans:
    """Creates the spans of one round; `start` and `end` are milliseconds after its begin, `at`."""

    trace: Trace
    number: int
    at: datetime

    def span(
        self, kind: str, name: str, parent: Span, start: int, end: int, **attributes: Any
    ) -> Span:
        return Span.objects.create(
            trace=self.trace,
            kind=kind,
            name=name,
            parent=parent,
            number=self.number if kind == "round" else 1,
            status="succeeded",
            created=self.at + timedelta(milliseconds=start),
            started=self.at + timedelta(milliseconds=start),
            ended=self.at + timedelta(milliseconds=end),
            attributes=attributes,
        )


def _round(
    trace: Trace,
    root: Span,
    number: int,
    at: datetime,
    messages: list[dict[str, Any]],
    is_last: bool,
) -> None:
    spans = _RoundSpans(trace, number, at)
    round_span = spans.span("round", f"round {number}", root, 0, 950)
    answer = _answer(number, is_last)
    records = _generation(spans, round_span, messages, answer)
    messages.append(answer)
    for call in answer.get("tool_calls", ()):
        records += _call(spans, round_span, messages, call)
    payloads.store_all(trace.archive, records)


def _generation(
    spans: _RoundSpans, round_span: Span, messages: list[dict[str, Any]], answer: dict[str, Any]
) -> list[payloads.Record]:
    usage = {"prompt_tokens": 800 + 120 * spans.number, "completion_tokens": 60}
    attributes = {"provider": "Qwen", "model": "qwen3-32b", "dialect": "native", "attempt": 1}
    timings = {"send_ms": 2.0, "first_token_ms": 180.0}
    span = spans.span(
        "generation", "qwen3-32b", round_span, 5, 700, **attributes, usage=usage, timings=timings
    )
    body = _wire({"model": "qwen3-32b", "messages": messages, "tools": _TOOLS, "stream": True})
    model_input = _wire({"messages": messages, "tools": _TOOLS, "parameters": {}})
    body_of_response, chunks = _stream(answer)
    output = _wire({"message": answer, "errors": [], "origins": [], "reissued": []})
    request_line = {
        "method": "POST",
        "url": "https://models.example/v1/chat/completions",
        "headers": [],
    }
    response_head = {"status": 200, "headers": [["content-type", "text/event-stream"]]}
    return [
        (span, "input", model_input, {}),
        (span, "request", body, {"attributes": request_line}),
        (span, "response", body_of_response, {"attributes": response_head, "chunks": chunks}),
        (span, "output", output, {}),
    ]


def _call(
    spans: _RoundSpans, round_span: Span, messages: list[dict[str, Any]], call: dict[str, Any]
) -> list[payloads.Record]:
    number = spans.number
    text = f"id {number}: " + ", ".join(f"row {number * 7 + i} 记录" for i in range(40))
    messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    span = spans.span(
        "tool", "sqlite-read_query", round_span, 710, 940,
        call_id=call["id"], server="sqlite", tool="read_query",
    )  # fmt: skip
    result = _wire({"content": [{"type": "text", "text": text}], "is_error": False})
    return [
        (span, "arguments", call["function"]["arguments"].encode(), {}),
        (span, "result", result, {}),
        (span, "shown", text.encode(), {}),
    ]


def _answer(number: int, is_last: bool) -> dict[str, Any]:
    if is_last:
        return {"role": "assistant", "content": "以下是查询的结果。 Here is the answer. " * 10}
    query = _wire({"query": f"SELECT * FROM log WHERE id > {number * 7} LIMIT 40"}).decode()
    call = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "sqlite-read_query", "arguments": query},
    }
    return {"role": "assistant", "content": f"第{number}步: next page.", "tool_calls": [call]}


def _stream(answer: dict[str, Any]) -> tuple[bytes, list[tuple[int, int]]]:
    events = list(_events(answer))
    chunks = [(200 + 12 * place, len(event)) for place, event in enumerate(events)]
    return b"".join(events), chunks


def _events(answer: dict[str, Any]) -> Iterator[bytes]:
    text = answer["content"]
    deltas: list[dict[str, Any]] = [
        {"content": text[place : place + 4]} for place in range(0, len(text), 4)
    ]
    deltas += [{"tool_calls": [{"index": 0, **call}]} for call in answer.get("tool_calls", ())]
    for delta in deltas:
        event = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
        yield b"data: " + _wire(event) + b"\n\n"
    yield b"data: [DONE]\n\n"


def _wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
