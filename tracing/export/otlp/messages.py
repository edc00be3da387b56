"""Canonical messages as both vocabularies write them.

`gen_ai.*` has one JSON text for all messages, each with parts; OpenInference flattens them into an
attribute for every field. Bytes of images do not leave: their type and size stand in their place.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from db.fields import dump_json
from limits.export import MAX_EXPORTED_SPAN
from tracing.export.otlp.limits import cut, cut_all, newest
from tracing.export.otlp.mapped import Attributes

Message = dict[str, Any]
Part = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """The messages that fit into a span, and how many of the beginning do not."""

    messages: Sequence[Message]
    left_out: int = 0

    @classmethod
    def of(cls, messages: Any, room: int = MAX_EXPORTED_SPAN) -> "Said":
        """As much as fits into so many characters. System messages at the beginning always stay."""
        known = [message for message in _list(messages) if isinstance(message, dict)]
        count = len(_leading_system(known))
        system, rest = known[:count], known[count:]
        left_out = newest(rest, lambda message: len(dump_json(cut_all(_bare(message)))), room)
        return cls([*system, *rest[left_out:]], left_out)


def in_parts(messages: Sequence[Message], finish_reason: str = "") -> str:
    """`gen_ai.input.messages`, or `gen_ai.output.messages` with a finish reason, as JSON."""
    ending = {"finish_reason": finish_reason} if finish_reason else {}
    return dump_json(
        [{"role": role(message), "parts": list(_parts(message)), **ending} for message in messages]
    )


def instructions(messages: Sequence[Message]) -> str:
    """`gen_ai.system_instructions`: the parts of the system messages that come first, as JSON."""
    parts = [part for message in _leading_system(messages) for part in _texts(message)]
    return dump_json(parts) if parts else ""


def flattened(name: str, messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """OpenInference: `llm.input_messages.0.message.role`, …"""
    for place, message in enumerate(messages):
        at = f"{name}.{place}.message"
        yield f"{at}.role", role(message)
        if text := text_of(message):
            yield f"{at}.content", cut(text)
        if message.get("tool_call_id"):
            yield f"{at}.tool_call_id", cut(str(message["tool_call_id"]))
        for number, call in enumerate(_calls(message)):
            yield from _flattened_call(f"{at}.tool_calls.{number}.tool_call", call)


def without_system(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[len(_leading_system(messages)) :]


def last_of_user(messages: Sequence[Message]) -> str:
    asked = (message for message in reversed(messages) if role(message) == "user")
    return next((text_of(message) for message in asked), "")


def text_of(message: Message) -> str:
    """What a reader sees of the content: its texts, and what stands for the rest."""
    content = message.get("content")
    if isinstance(content, str):
        return content or str(message.get("refusal") or "")
    return "\n".join(_seen(part) for part in _list(content) if isinstance(part, dict))


def role(message: Message) -> str:
    return cut(str(message.get("role") or ""))


def definitions(tools: Any) -> list[dict[str, Any]]:
    """Tools as `gen_ai.tool.definitions` lists them: without the level `function`."""
    found = []
    for tool in _list(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict):
            found.append(cut_all({"type": "function", **function}))
    return found


def tools_of(tools: Any) -> Attributes:
    """OpenInference: `llm.tools.0.tool.json_schema`, …"""
    known = [tool for tool in _list(tools) if isinstance(tool, dict)]
    return {
        f"llm.tools.{place}.tool.json_schema": dump_json(cut_all(tool))
        for place, tool in enumerate(known)
    }


def arguments_of(text: Any) -> Any:
    """The object that a model wrote as JSON, or its text if it is none."""
    try:
        value = json.loads(text, parse_constant=str) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return cut(text)
    return cut_all(value)


def _parts(message: Message) -> Iterator[Part]:
    if message.get("role") == "tool":
        response = cut(text_of(message))
        yield {
            "type": "tool_call_response",
            "id": cut(str(message.get("tool_call_id") or "")),
            "response": response,
        }
        return
    if reasoning := message.get("reasoning_content"):
        yield {"type": "reasoning", "content": cut(str(reasoning))}
    yield from _texts(message)
    for call in _calls(message):
        function = _function(call)
        yield {
            "type": "tool_call",
            "id": cut(str(call.get("id") or "")),
            "name": cut(str(function.get("name") or "")),
            "arguments": arguments_of(function.get("arguments")),
        }


def _texts(message: Message) -> Iterator[Part]:
    if text := text_of(message):
        yield {"type": "text", "content": cut(text)}


def _flattened_call(at: str, call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    function = _function(call)
    yield f"{at}.id", cut(str(call.get("id") or ""))
    yield f"{at}.function.name", cut(str(function.get("name") or ""))
    yield f"{at}.function.arguments", cut(str(function.get("arguments") or ""))


def _calls(message: Message) -> list[dict[str, Any]]:
    return [call for call in _list(message.get("tool_calls")) if isinstance(call, dict)]


def _function(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _seen(part: dict[str, Any]) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    url = part.get("image_url")
    address = url.get("url") if isinstance(url, dict) else url
    if isinstance(address, str) and not address.startswith("data:"):
        return f"[{part.get('type')}: {address}]"
    kind = str(address or "")[len("data:") :].partition(";")[0]
    return f"[{kind or part.get('type') or 'content'}, {len(str(address or '')):,} characters]"


def _bare(message: Message) -> Message:
    """What of a message leaves, as far as its size is concerned."""
    return {"text": text_of(message), "calls": message.get("tool_calls")}


def _leading_system(messages: Sequence[Message]) -> Sequence[Message]:
    for place, message in enumerate(messages):
        if message.get("role") not in ("system", "developer"):
            return messages[:place]
    return messages


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
