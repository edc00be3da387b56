"""Canonical messages in the vocabularies of both conventions.

`gen_ai.*` has one JSON text for all messages, each with parts; OpenInference has an attribute for
every field. Bytes of images do not leave: type and size stand in their place.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from db.fields import dump_json
from limits.export import MAX_EXPORTED_SPAN
from tracing.export.otlp.limits import count_to_drop, cut, cut_all
from tracing.export.otlp.otlp_span import Attributes

Message = dict[str, Any]
Part = dict[str, Any]


@dataclass(frozen=True)
class FittingMessages:
    """The messages that fit into a span, and the count of those left out at the beginning."""

    messages: Sequence[Message]
    left_out: int = 0

    @classmethod
    def of(cls, messages: Any, room: int = MAX_EXPORTED_SPAN) -> "FittingMessages":
        """The newest messages that fit into `room` characters. Leading system messages stay."""
        valid = [message for message in _list(messages) if isinstance(message, dict)]
        count = len(_leading_system(valid))
        system, rest = valid[:count], valid[count:]
        left_out = count_to_drop(rest, _size, room)
        return cls([*system, *rest[left_out:]], left_out)


def messages_json(messages: Sequence[Message], finish_reason: str = "") -> str:
    """`gen_ai.input.messages`, or `gen_ai.output.messages` with a finish reason, as JSON."""
    ending = {"finish_reason": finish_reason} if finish_reason else {}
    return dump_json(
        [{"role": role(message), "parts": list(_parts(message)), **ending} for message in messages]
    )


def instructions(messages: Sequence[Message]) -> str:
    """`gen_ai.system_instructions`: the parts of the leading system messages, as JSON."""
    parts = [part for message in _leading_system(messages) for part in _texts(message)]
    return dump_json(parts) if parts else ""


def flat_attributes(name: str, messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """OpenInference: `llm.input_messages.0.message.role`, …"""
    for place, message in enumerate(messages):
        at = f"{name}.{place}.message"
        yield f"{at}.role", role(message)
        if text := text_of(message):
            yield f"{at}.content", cut(text)
        if message.get("tool_call_id"):
            yield f"{at}.tool_call_id", cut(str(message["tool_call_id"]))
        for number, call in enumerate(_calls(message)):
            yield from _flat_call(f"{at}.tool_calls.{number}.tool_call", call)


def without_system(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[len(_leading_system(messages)) :]


def last_question(messages: Sequence[Message]) -> str:
    """The text of the last user message."""
    questions = (message for message in reversed(messages) if role(message) == "user")
    return next((text_of(message) for message in questions), "")


def text_of(message: Message) -> str:
    """The content as text; of a part that is no text a description."""
    content = message.get("content")
    if isinstance(content, str):
        return content or str(message.get("refusal") or "")
    return "\n".join(_part_text(part) for part in _list(content) if isinstance(part, dict))


def role(message: Message) -> str:
    return cut(str(message.get("role") or ""))


def definitions(tools: Any) -> list[dict[str, Any]]:
    """Tools as `gen_ai.tool.definitions` lists them: without the level `function`."""
    functions = []
    for tool in _list(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict):
            functions.append(cut_all({"type": "function", **function}))
    return functions


def tools_of(tools: Any) -> Attributes:
    """OpenInference: `llm.tools.0.tool.json_schema`, …"""
    valid = [tool for tool in _list(tools) if isinstance(tool, dict)]
    return {
        f"llm.tools.{place}.tool.json_schema": dump_json(cut_all(tool))
        for place, tool in enumerate(valid)
    }


def arguments_of(text: Any) -> Any:
    """The value of a model's JSON text, or the text if it is not JSON."""
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


def _flat_call(at: str, call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    function = _function(call)
    yield f"{at}.id", cut(str(call.get("id") or ""))
    yield f"{at}.function.name", cut(str(function.get("name") or ""))
    yield f"{at}.function.arguments", cut(str(function.get("arguments") or ""))


def _calls(message: Message) -> list[dict[str, Any]]:
    return [call for call in _list(message.get("tool_calls")) if isinstance(call, dict)]


def _function(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else {}


def _part_text(part: dict[str, Any]) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    url = part.get("image_url")
    address = url.get("url") if isinstance(url, dict) else url
    if isinstance(address, str) and not address.startswith("data:"):
        return f"[{part.get('type')}: {address}]"
    kind = str(address or "")[len("data:") :].partition(";")[0]
    return f"[{kind or part.get('type') or 'content'}, {len(str(address or '')):,} characters]"


def _size(message: Message) -> int:
    """Estimated characters of a message."""
    parts = {"text": text_of(message), "calls": message.get("tool_calls")}
    return len(dump_json(cut_all(parts)))


def _leading_system(messages: Sequence[Message]) -> Sequence[Message]:
    for place, message in enumerate(messages):
        if message.get("role") not in ("system", "developer"):
            return messages[:place]
    return messages


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
