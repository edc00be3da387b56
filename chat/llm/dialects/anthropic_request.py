"""What the Messages API of Anthropic reads: blocks, in messages of two roles that take turns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from chat.llm.json_text import parse_json
from chat.llm.messages import Message, ToolCall, ToolChoice, ToolDefinition, text_of

Block = dict[str, Any]
_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


def system_blocks(history: Iterable[Message]) -> list[Block]:
    return [
        block
        for message in history
        if message["role"] == "system"
        for block in _texts(message.get("content"))
    ]


def wire_messages(history: Iterable[Message]) -> list[dict[str, Any]]:
    """From a complete history; neighbours of one role as one message, results first in theirs."""
    wire: list[dict[str, Any]] = []
    for message in history:
        if message["role"] == "system":
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = list(_blocks(message))
        if wire and wire[-1]["role"] == role:
            wire[-1]["content"] += blocks
        elif blocks:
            wire.append({"role": role, "content": blocks})
    return wire


def wire_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    return [_wire_tool(tool["function"]) for tool in tools if "function" in tool]


def wire_choice(tool_choice: ToolChoice) -> dict[str, Any]:
    if isinstance(tool_choice, dict):
        return {"type": "tool", "name": tool_choice["function"]["name"]}
    return {"type": _CHOICES[tool_choice]}


def _wire_tool(function: dict[str, Any]) -> dict[str, Any]:
    wire = {"name": function["name"]}
    if description := function.get("description"):
        wire["description"] = description
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return {**wire, "input_schema": schema}


def _blocks(message: Message) -> Iterator[Block]:
    if message["role"] == "tool":
        yield _result(message)
        return
    yield from message.get("thinking_blocks", ())
    yield from _texts(message.get("content"))
    yield from map(_use, message.get("tool_calls", ()))


def _texts(content: Any) -> list[Block]:
    """No empty ones: the API refuses them."""
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return [{"type": "text", "text": text} for text in texts if text.strip()]


def _use(call: ToolCall) -> Block:
    function = call["function"]
    return {
        "type": "tool_use",
        "id": call["id"],
        "name": function["name"],
        "input": _input(function["arguments"]),
    }


def _input(arguments: str) -> dict[str, Any]:
    try:
        value = parse_json(arguments)
    except ValueError:
        value = {"arguments": arguments} if arguments.strip() else {}
    return value if isinstance(value, dict) else {"arguments": value}


def _result(message: Message) -> Block:
    block: Block = {
        "type": "tool_result",
        "tool_use_id": message["tool_call_id"],
        "content": text_of(message.get("content")),
    }
    return {**block, "is_error": True} if message.get("is_error") else block


def choice_of(tools: Sequence[dict[str, Any]], tool_choice: ToolChoice | None) -> dict[str, Any]:
    return {"tool_choice": wire_choice(tool_choice)} if tools and tool_choice else {}
