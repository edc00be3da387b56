"""Requests of Anthropic's Messages API as canonical messages: blocks become texts, parts, calls and
results."""

from collections.abc import Iterable
from typing import Any

from api.gateway.reading.values import Object, objects, text
from chat.llm.messages import ContentPart, Message, ToolCall, ToolDefinition, tool_call
from db.fields import dump_json

_NO_PARAMETERS = frozenset({"messages", "tools", "model", "stream", "system"})


def messages_of(body: Object) -> list[Message]:
    messages: list[Message] = []
    system = body.get("system")
    if system:
        messages.append({"role": "system", "content": _content(system)})
    for one in objects(body.get("messages")):
        messages += _assistant(one) if one.get("role") == "assistant" else _user(one)
    return messages


def tools_of(body: Object) -> list[ToolDefinition]:
    return [
        {
            "type": "function",
            "function": {
                "name": text(tool.get("name")),
                "description": text(tool.get("description")),
                "parameters": tool["input_schema"],
            },
        }
        if isinstance(tool.get("input_schema"), dict)
        else tool
        for tool in objects(body.get("tools"))
    ]


def parameters_of(body: Object) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in _NO_PARAMETERS}


def _assistant(message: Object) -> list[Message]:
    blocks = _blocks(message.get("content"))
    answer: Message = {"role": "assistant", "content": _texts(blocks)}
    thinking = "".join(text(one.get("thinking")) for one in blocks if one["type"] == "thinking")
    if thinking:
        answer["reasoning_content"] = thinking
    calls: list[ToolCall] = [
        tool_call(text(one.get("id")), text(one.get("name")), dump_json(one.get("input")))
        for one in blocks
        if one["type"] == "tool_use"
    ]
    if calls:
        answer["tool_calls"] = calls
    return [answer]


def _user(message: Object) -> list[Message]:
    """Results first, each a message of its own, then the rest."""
    blocks = _blocks(message.get("content"))
    results: list[Message] = [_result(one) for one in blocks if one["type"] == "tool_result"]
    rest = [one for one in blocks if one["type"] != "tool_result"]
    if rest or not results:
        results.append({"role": "user", "content": _content(rest)})
    return results


def _result(block: Object) -> Message:
    result: Message = {
        "role": "tool",
        "tool_call_id": text(block.get("tool_use_id")),
        "content": _content(block.get("content")),
    }
    if block.get("is_error") is True:
        result["is_error"] = True
    return result


def _content(value: object) -> str | list[ContentPart]:
    """A text, or parts if there is more than text."""
    blocks = _blocks(value)
    if all(one["type"] == "text" for one in blocks):
        return _texts(blocks)
    return [_part(one) for one in blocks]


def _part(block: Object) -> ContentPart:
    source = block.get("source")
    if block["type"] == "image" and isinstance(source, dict):
        url = text(source.get("url"))
        if source.get("type") == "base64":
            url = f"data:{text(source.get('media_type'))};base64,{text(source.get('data'))}"
        return {"type": "image_url", "image_url": {"url": url}}
    if block["type"] == "text":
        return {"type": "text", "text": text(block.get("text"))}
    return {name: value for name, value in block.items() if name != "cache_control"}


def _blocks(value: object) -> list[Object]:
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    return [one for one in objects(value) if isinstance(one.get("type"), str)]


def _texts(blocks: Iterable[Object]) -> str:
    return "".join(text(one.get("text")) for one in blocks if one["type"] == "text")
