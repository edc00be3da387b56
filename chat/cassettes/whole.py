"""A recorded stream as the one document that a request without `stream` asks for."""

import json
from collections.abc import Iterator
from typing import Any

from chat.llm.errors import ProviderFailure
from chat.llm.sse import EventStream

Value = dict[str, Any]
# Of a chunk's delta: what is text to be joined.
JOINED = ("content", "reasoning_content", "reasoning", "refusal")


def whole(protocol: str, body: bytes) -> Value | None:
    """The document; None if the stream did not come to its end."""
    values = list(_values(body))
    return _message(values) if protocol == "anthropic" else _completion(values)


def _values(body: bytes) -> Iterator[Value]:
    stream = EventStream()
    try:
        events = list(stream.feed(body))
    except ProviderFailure:
        return
    rest = stream.rest()
    for event in [*events, *([rest] if rest else [])]:
        try:
            value = json.loads(event.data)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _completion(values: list[Value]) -> Value | None:
    """Chat completions: the deltas of every choice joined; the usage is the last that came."""
    document: Value = {"object": "chat.completion"}
    choices: dict[int, Value] = {}
    for value in values:
        for key in ("id", "created", "model", "system_fingerprint", "service_tier"):
            document.setdefault(key, value[key]) if key in value else None
        document["usage"] = value.get("usage") or document.get("usage")
        for choice in value.get("choices") or ():
            _join(choices.setdefault(choice.get("index") or 0, _choice(choice)), choice)
    finished = [choice for choice in choices.values() if choice["finish_reason"] is not None]
    if not finished:
        return None
    return {**document, "choices": [_settled(choices[index]) for index in sorted(choices)]}


def _choice(choice: Value) -> Value:
    message: Value = {"role": "assistant", "content": None}
    return {"index": choice.get("index") or 0, "message": message, "finish_reason": None}


def _join(joined: Value, choice: Value) -> None:
    delta, message = choice.get("delta") or {}, joined["message"]
    for key in JOINED:
        if isinstance(delta.get(key), str):
            message[key] = (message.get(key) or "") + delta[key]
    for call in delta.get("tool_calls") or ():
        _join_call(message.setdefault("tool_calls", {}), call)
    if isinstance(function := delta.get("function_call"), dict):
        _join_call(message.setdefault("function_call", {}), {"index": 0, "function": function})
    joined["finish_reason"] = choice.get("finish_reason") or joined["finish_reason"]


def _join_call(calls: dict[int, Value], piece: Value) -> None:
    empty = {"id": None, "type": "function", "function": {"name": "", "arguments": ""}}
    call = calls.setdefault(piece.get("index") or 0, empty)
    call["id"] = call["id"] or piece.get("id")
    for key in ("name", "arguments"):
        call["function"][key] += (piece.get("function") or {}).get(key) or ""


def _settled(choice: Value) -> Value:
    message = choice["message"]
    if "tool_calls" in message:
        calls = message["tool_calls"]
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    if "function_call" in message:
        message["function_call"] = message["function_call"][0]["function"]
    return choice


def _message(values: list[Value]) -> Value | None:
    """The Messages API: blocks by their index, the usage of the start and of the end together."""
    message: Value = {}
    blocks: dict[int, Value] = {}
    for value in values:
        match value.get("type"):
            case "message_start":
                message = {**value.get("message", {})}
            case "content_block_start":
                blocks[value.get("index", len(blocks))] = {**value.get("content_block", {})}
            case "content_block_delta":
                _add(blocks.setdefault(value.get("index", 0), {}), value.get("delta") or {})
            case "message_delta":
                message |= value.get("delta") or {}
                message["usage"] = {**(message.get("usage") or {}), **(value.get("usage") or {})}
            case "message_stop":
                content = [_whole_block(blocks[index]) for index in sorted(blocks)]
                return {**message, "content": content}
    return None


def _add(block: Value, delta: Value) -> None:
    for source, key in (("text", "text"), ("thinking", "thinking"), ("signature", "signature")):
        if isinstance(delta.get(source), str):
            block[key] = (block.get(key) or "") + delta[source]
    if isinstance(delta.get("partial_json"), str):
        block["_json"] = block.get("_json", "") + delta["partial_json"]


def _whole_block(block: Value) -> Value:
    written = block.pop("_json", "")
    if written:
        try:
            block["input"] = json.loads(written)
        except (ValueError, RecursionError):
            block["input"] = {}
    return block
