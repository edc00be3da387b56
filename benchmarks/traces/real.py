"""Turns with real payloads: a thread that grows by a call and its result in each round."""

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
    """A turn of an archive of its own, all of whose stages are stored as the engine stores them."""
    archive = Archive.objects.create(owner=owner, created=at)
    trace = Trace.objects.create(
        archive=archive, owner=owner, name=name, started=at, attributes={"model": "qwen3-32b"}
    )
    root = Span.objects.create(trace=trace, kind="turn", name="turn", started=at)
    thread: list[dict[str, Any]] = [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": name},
    ]
    for number in range(1, rounds + 1):
        began = at + timedelta(seconds=number)
        _round(trace, root, number, began, thread, is_last=number == rounds)
    ended = at + timedelta(seconds=rounds + 1)
    Span.objects.filter(pk=root.pk).update(status="succeeded", ended=ended)
    Trace.objects.filter(pk=trace.pk).update(status="succeeded", ended=ended)
    trace.refresh_from_db()
    return trace


@dataclass(frozen=True)
class _Round:
    """Spans of one round of a turn, at milliseconds after its begin."""

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
    trace: Trace, root: Span, number: int, at: datetime, thread: list[dict[str, Any]], is_last: bool
) -> None:
    made = _Round(trace, number, at)
    opened = made.span("round", f"round {number}", root, 0, 950)
    answer = _answer(number, is_last)
    records = _generation(made, opened, thread, answer)
    thread.append(answer)
    for call in answer.get("tool_calls", ()):
        records += _call(made, opened, thread, call)
    payloads.store_all(trace.archive, records)


def _generation(
    made: _Round, opened: Span, thread: list[dict[str, Any]], answer: dict[str, Any]
) -> list[payloads.Record]:
    usage = {"prompt_tokens": 800 + 120 * made.number, "completion_tokens": 60}
    described = {"provider": "Qwen", "model": "qwen3-32b", "dialect": "native", "attempt": 1}
    timings = {"send_ms": 2.0, "first_token_ms": 180.0}
    span = made.span(
        "generation", "qwen3-32b", opened, 5, 700, **described, usage=usage, timings=timings
    )
    body = _wire({"model": "qwen3-32b", "messages": thread, "tools": _TOOLS, "stream": True})
    meant = _wire({"messages": thread, "tools": _TOOLS, "parameters": {}})
    streamed, chunks = _stream(answer)
    output = _wire({"message": answer, "errors": [], "origins": [], "reissued": []})
    sent = {"method": "POST", "url": "https://models.example/v1/chat/completions", "headers": []}
    came = {"status": 200, "headers": [["content-type", "text/event-stream"]]}
    return [
        (span, "input", meant, {}),
        (span, "request", body, {"attributes": sent}),
        (span, "response", streamed, {"attributes": came, "chunks": chunks}),
        (span, "output", output, {}),
    ]


def _call(
    made: _Round, opened: Span, thread: list[dict[str, Any]], call: dict[str, Any]
) -> list[payloads.Record]:
    number = made.number
    shown = f"id {number}: " + ", ".join(f"row {number * 7 + i} 记录" for i in range(40))
    thread.append({"role": "tool", "tool_call_id": call["id"], "content": shown})
    span = made.span(
        "tool", "sqlite-read_query", opened, 710, 940,
        call_id=call["id"], server="sqlite", tool="read_query",
    )  # fmt: skip
    result = _wire({"content": [{"type": "text", "text": shown}], "is_error": False})
    return [
        (span, "arguments", call["function"]["arguments"].encode(), {}),
        (span, "result", result, {}),
        (span, "shown", shown.encode(), {}),
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
