"""OpenAI's Responses API: requests as canonical messages, and the answer of a response."""

from typing import Any

from api.gateway.reading.values import Object, count, object_of, objects, text
from chat.llm.messages import (
    ContentPart,
    Message,
    ToolDefinition,
    assistant_message,
    tool_call,
)
from db.fields import dump_json
from wire.response import is_document
from wire.sse import ServerEvent, events_of

_NO_PARAMETERS = frozenset({"input", "instructions", "tools", "model", "stream"})
_ENDS = ("response.completed", "response.incomplete", "response.failed")
_TEXTS = ("input_text", "output_text", "text")
_FINISH_REASONS = {"max_output_tokens": "length", "content_filter": "content_filter"}


def messages_of(body: Object) -> list[Message]:
    messages: list[Message] = []
    if instructions := text(body.get("instructions")):
        messages.append({"role": "system", "content": instructions})
    given = body.get("input")
    if isinstance(given, str):
        return [*messages, {"role": "user", "content": given}]
    for item in objects(given):
        _add(messages, item)
    return messages


def tools_of(body: Object) -> list[ToolDefinition]:
    return [
        {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}
        if tool.get("type") == "function"
        else tool
        for tool in objects(body.get("tools"))
    ]


def parameters_of(body: Object) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in _NO_PARAMETERS}


def response_of(body: bytes) -> Object | None:
    """The response that a body is, or that the last event of a stream has."""
    if is_document(body):
        return object_of(body)
    last: Object | None = None
    for event in events_of(body):
        if isinstance(event, ServerEvent) and event.type in ("", *_ENDS):
            value = object_of(event.data.encode())
            if value is not None and value.get("type") in _ENDS:
                last = value
    response = last.get("response") if last else None
    return response if isinstance(response, dict) else None


def message_of(response: Object) -> Message:
    """The canonical answer: what it says, and the functions that it calls."""
    messages: list[Message] = [assistant_message("")]
    for item in objects(response.get("output")):
        if item.get("type") in ("message", "function_call", "reasoning"):
            _add(messages, {**item, "role": "assistant"})
    return messages[-1]


def usage_of(response: Object) -> Object | None:
    """Tokens under the names of chat completions, and the original under `raw`."""
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return None
    details = usage.get("input_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    given, written = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    return {
        "prompt_tokens": given,
        "completion_tokens": written,
        "total_tokens": given + written,
        "prompt_tokens_details": {"cached_tokens": cached},
        "raw": usage,
    }


def finish_reason_of(response: Object, message: Message) -> str:
    details = response.get("incomplete_details")
    if isinstance(details, dict):
        return _FINISH_REASONS.get(text(details.get("reason")), text(details.get("reason")))
    return "tool_calls" if message.get("tool_calls") else "stop"


def _add(messages: list[Message], item: Object) -> None:
    """Adds an item; those of one answer are one message."""
    match item.get("type"):
        case "function_call":
            call = tool_call(
                text(item.get("call_id")), text(item.get("name")), text(item.get("arguments"))
            )
            answer = _answer(messages)
            answer["tool_calls"] = [*answer.get("tool_calls", []), call]
        case "function_call_output":
            output = item.get("output")
            content = output if isinstance(output, str) else _content(output)
            messages.append(
                {"role": "tool", "tool_call_id": text(item.get("call_id")), "content": content}
            )
        case "reasoning":
            summary = "".join(text(one.get("text")) for one in objects(item.get("summary")))
            if summary:
                answer = _answer(messages)
                answer["reasoning_content"] = answer.get("reasoning_content", "") + summary
        case _ if item.get("role") == "assistant":
            answer = _answer(messages)
            said = _content(item.get("content"))
            before = answer.get("content") or ""
            both = isinstance(said, str) and isinstance(before, str)
            answer["content"] = f"{before}{said}" if both else said
        case _ if isinstance(item.get("role"), str):
            messages.append({"role": item["role"], "content": _content(item.get("content"))})


def _answer(messages: list[Message]) -> Message:
    """The answer that is being read, a new one after anything else."""
    if not messages or messages[-1]["role"] != "assistant":
        messages.append(assistant_message(""))
    return messages[-1]


def _content(value: object) -> str | list[ContentPart]:
    if isinstance(value, str):
        return value
    parts = objects(value)
    if all(part.get("type") in _TEXTS for part in parts):
        return "".join(text(part.get("text")) for part in parts)
    return [_part(part) for part in parts] or dump_json(value)


def _part(part: Object) -> ContentPart:
    if part.get("type") in _TEXTS:
        return {"type": "text", "text": text(part.get("text"))}
    if part.get("type") == "input_image":
        return {"type": "image_url", "image_url": {"url": text(part.get("image_url"))}}
    return part
