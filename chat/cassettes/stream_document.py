"""A recorded stream as one document, for a request without `stream`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from chat.llm.json_text import wire_json
from wire.anthropic_messages import MessageEvents
from wire.chat_completions import REASONING_KEYS
from wire.chunks import Chunk
from wire.content_blocks import BlockReader, ContentBlock
from wire.json_values import json_or_none, object_or_none, text_or_none
from wire.response import ResponseReader
from wire.sse import InvalidEvent, whole_events
from wire.surrogates import join_surrogates
from wire.tool_calls import CallMerger, NativeCall

Value = dict[str, Any]
# Members of a delta whose texts are joined.
_JOINED = ("content", *REASONING_KEYS, "refusal")
_OF_DOCUMENT = ("id", "created", "model", "system_fingerprint", "service_tier")


def stream_document(protocol: str, body: bytes) -> Value | None:
    """The document; None if the stream is incomplete."""
    return _message(body) if protocol == "anthropic" else _completion(list(_values(body)))


def _values(body: bytes) -> Iterator[Value]:
    """The objects of the events; none if the body is not UTF-8."""
    events = whole_events(body)
    if any(isinstance(event, InvalidEvent) for event in events):
        return
    for event in events:
        value = json_or_none(event.data)
        if isinstance(value, dict):
            yield value


def _completion(values: list[Value]) -> Value | None:
    """A chat completion with the joined deltas of each choice, and the last usage."""
    document: Value = {"object": "chat.completion"}
    choices: dict[int, _Choice] = {}
    for value in values:
        for key in _OF_DOCUMENT:
            document.setdefault(key, value[key]) if key in value else None
        document["usage"] = value.get("usage") or document.get("usage")
        for choice in value.get("choices") or ():
            index = choice.get("index") or 0
            choices.setdefault(index, _Choice(index)).add(choice)
    if not any(choice.finish_reason for choice in choices.values()):
        return None
    return {**document, "choices": [choices[index].value() for index in sorted(choices)]}


@dataclass
class _Choice:
    """A choice, up to the latest delta."""

    index: int
    finish_reason: str | None = None
    texts: dict[str, list[str]] = field(default_factory=dict)
    calls: CallMerger = field(default_factory=lambda: CallMerger(wire_json))
    function: CallMerger = field(default_factory=lambda: CallMerger(wire_json))

    def add(self, choice: Value) -> None:
        delta = object_or_none(choice.get("delta")) or {}
        for key in _JOINED:
            if isinstance(text := delta.get(key), str):
                self.texts.setdefault(key, []).append(text)
        self.calls.feed(delta.get("tool_calls"))
        if function := delta.get("function_call"):
            self.function.feed([{"index": 0, "function": function}])
        self.finish_reason = text_or_none(choice.get("finish_reason")) or self.finish_reason

    def value(self) -> Value:
        texts = {key: join_surrogates("".join(pieces)) for key, pieces in self.texts.items()}
        message: Value = {"role": "assistant", "content": None, **texts}
        self.calls.finish()
        self.function.finish()
        if calls := self.calls.calls:
            message["tool_calls"] = [
                {"id": call.call_id or None, "type": "function", "function": _function(call)}
                for call in calls
            ]
        if functions := self.function.calls:
            message["function_call"] = _function(functions[0])
        return {"index": self.index, "message": message, "finish_reason": self.finish_reason}


def _function(call: NativeCall) -> Value:
    return {"name": call.name, "arguments": call.arguments}


def _message(body: bytes) -> Value | None:
    """A message of the Messages API with its joined blocks, and the usage of start and end."""
    reader, joined = ResponseReader(MessageEvents()), BlockReader()
    message: Value = {}
    for item in [*reader.feed(body), *reader.finish()]:
        if not isinstance(item, Chunk):
            return None
        event = item.delta
        list(joined.feed(event))
        if event["type"] == "message_start":
            message = {**(object_or_none(event.get("message")) or {})}
        elif event["type"] == "message_delta":
            message |= object_or_none(event.get("delta")) or {}
            message["usage"] = {**(message.get("usage") or {}), **(event.get("usage") or {})}
    joined.finish()
    return {**message, "content": [_whole_block(block) for block in joined.blocks]}


def _whole_block(block: ContentBlock) -> Value:
    match block.type:
        case "text":
            return {**block.start, "text": block.text}
        case "thinking":
            signature = {"signature": block.signature} if block.signature else {}
            return {**block.start, "thinking": block.text, **signature}
        case "tool_use" | "server_tool_use" if block.text:
            return {**block.start, "input": object_or_none(json_or_none(block.text)) or {}}
    return block.start
