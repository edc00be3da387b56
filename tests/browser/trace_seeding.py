"""Traces that are hard to show, in the product's settings: JSON in, JSON out.

In comes `{"names": [name, …]}`, out go the addresses of the traces by name: `large` (1,000 messages
and a result of 20 MB), `long` (500 rounds), `changes` (a round that differs from the one before in
every way), `damaged` (bytes that are no text or not what was recorded, and texts that mislead).
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.seeding import django_is_set_up  # isort: skip

from django.contrib.auth import get_user_model

from tracing.models import Payload
from tracing.tests.builders import ATurn, wire

assert django_is_set_up

RESULT_BYTES = 20_000_000
NEEDLE = "绣花针 needle"
FUNCTION = {"name": "read_log", "description": "Reads a log."}
TOOL = {"type": "function", "function": FUNCTION}
SYSTEM = "You look after a database."
QUESTION = {"role": "user", "content": "查询韩梅梅的年龄"}


def main() -> None:
    wanted = json.load(sys.stdin)
    owner = get_user_model().objects.order_by("pk").first()
    made = {name: SEEDS[name](owner).trace.get_absolute_url() for name in wanted["names"]}
    sys.stdout.write(json.dumps(made))


def large(owner: Any) -> ATurn:
    turn = ATurn(owner, "Read the whole log")
    turn.a_round(1, (0, 4_000))
    messages = [message(number) for number in range(1_000)]
    body = wire({"model": "m", "messages": messages, "tools": [TOOL], "stream": True})
    turn.a_generation(
        {"input": wire({"messages": messages, "tools": [TOOL]}), "request": body, **answer("Done")},
        (0, 900),
        attributes={"dialect": "native", "model": "m"},
    )
    turn.a_call(
        {"arguments": b"{}", "result": log(), "shown": log()[:40_000]},
        (900, 4_000),
        1,
        name="read_log",
    )
    turn.end(4_000)
    return turn


def long(owner: Any) -> ATurn:
    turn = ATurn(owner, "Go through all of them")
    thread: list[dict[str, Any]] = [QUESTION]
    for number in range(1, 501):
        body = wire({"model": "m", "messages": thread})
        at = (number * 100, number * 100 + 90)
        turn.a_round(number, at)
        turn.a_generation({"input": body, "request": body, **answer(f"Row {number}")}, at)
        thread = [*thread, {"role": "assistant", "content": f"Row {number}: 第{number}行"}]
    turn.end(50_100)
    return turn


def changes(owner: Any) -> ATurn:
    turn = ATurn(owner, "What changed between two rounds")
    result = {"role": "tool", "tool_call_id": "call_1", "content": "a row of the table\n" * 200}
    small = {**TOOL, "function": {**FUNCTION, "description": "Reads the end of a log."}}
    other = {"type": "function", "function": {"name": "write_log", "description": "Writes."}}
    asked = {"role": "assistant", "content": "", "tool_calls": [a_call()]}
    first = [{"role": "system", "content": f"{SYSTEM} 数据库有两张表。"}, QUESTION, asked, result]
    put_away = {**result, "content": "[3,800 characters were put away]"}
    system = {"role": "system", "content": f"{SYSTEM} 数据库有三张表。"}
    second = [system, QUESTION, asked, put_away, {"role": "assistant", "content": "韩梅梅 is 20."}]
    rounds: list[tuple[list[Any], list[Any], dict[str, float]]] = [
        (first, [TOOL], {"temperature": 0.2}),
        (second, [small, other], {"temperature": 0.7}),
    ]
    for number, (messages, tools, parameters) in enumerate(rounds, 1):
        at = (number * 1_000, number * 1_000 + 900)
        meant = wire({"messages": messages, "tools": tools, "parameters": parameters})
        sent = {"model": "qwen", "messages": nous(messages, tools), "stream": True, **parameters}
        turn.a_round(number, at)
        turn.a_generation(
            {"input": meant, "request": wire(sent), **answer("**Done**: 20")},
            at,
            attributes={"dialect": "nous", "model": "qwen"},
        )
    turn.end(3_000)
    return turn


def damaged(owner: Any) -> ATurn:
    turn = ATurn(owner, "What is damaged or strange")
    turn.a_round(1, (0, 900))
    hebrew = {"role": "user", "content": "שלום עולם, מה שלומך? \u202egnidaelsim"}
    request = b'{"messages":[{"role":"user","content":"half \\ud83d of a pair"}],"tools":[1,2'
    generation = turn.a_generation(
        {
            "input": wire({"messages": [hebrew]}),
            "request": request,
            "response": bytes(range(256)) * 40,
            "output": wire({"message": {"role": "assistant", "content": "x" * 500}}),
        },
        (0, 900),
        attributes={"model": "m"},
    )
    Payload.objects.filter(span=generation, stage="output").update(sha256=b"\0" * 32)
    turn.a_call({"arguments": b"", "result": b"\x89PNG\x00" * 400}, (100, 200), 1)
    turn.end(900)
    return turn


def message(number: int) -> dict[str, Any]:
    role = "user" if number % 2 == 0 else "assistant"
    return {"role": role, "content": f"Message {number}: 第{number}条消息。 " * (1 + number % 40)}


def answer(text: str) -> dict[str, bytes]:
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in (text[:2], text[2:])]
    return {
        "response": b"".join(b"data: " + wire(event) + b"\n\n" for event in events),
        "output": wire({"message": {"role": "assistant", "content": text}, "origins": []}),
    }


def a_call() -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": "read_log", "arguments": "{}"}}


def nous(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As that dialect writes them: tools in the system text, results in a user message."""
    written = []
    for one in messages:
        text = one["content"]
        if one["role"] == "system":
            text += "\n\n# Tools\n\n" + "\n".join(json.dumps(tool) for tool in tools)
        if one.get("tool_calls"):
            text = '<tool_call>\n{"name": "read_log", "arguments": {}}\n</tool_call>'
        if one["role"] == "tool":
            text = f"<tool_response>\n{text}\n</tool_response>"
        role = "user" if one["role"] == "tool" else one["role"]
        written.append({"role": role, "content": text})
    return written


def log() -> bytes:
    """20 MB of lines of all lengths, with one needle near the end."""
    line = "{number:>8} 2026-01-01T00:00:00Z 数据库 read_query SELECT * FROM students {more}\n"
    lines, size, number = [], 0, 0
    while size < RESULT_BYTES - 200_000:
        lines.append(line.format(number=number, more="x" * (number * 7 % 300)).encode())
        size, number = size + len(lines[-1]), number + 1
    lines.append(f"{NEEDLE}\n".encode())
    tail = line.format(number=number, more="").encode()
    return b"".join(lines) + tail * ((RESULT_BYTES - size) // len(tail))


SEEDS: dict[str, Callable[[Any], ATurn]] = {
    "large": large,
    "long": long,
    "changes": changes,
    "damaged": damaged,
}

if __name__ == "__main__":
    main()
