"""Requests of Anthropic's Messages API: blocks, in messages of alternating roles."""

from collections.abc import Iterable, Iterator
from typing import Any

from chat.llm.dialects.anthropic_blocks import (
    Block,
    content_blocks,
    is_wrapped,
    left_out,
    result_block,
    use_block,
)
from chat.llm.dialects.anthropic_names import fit_name, is_cut
from chat.llm.messages import Message, ToolChoice, ToolDefinition
from limits.models import MAX_ANTHROPIC_NAME

MessageBlocks = tuple[Message, list[Block]]
_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


def system_blocks(history: Iterable[Message]) -> list[Block]:
    """The system texts of the whole history."""
    systems = (message for message in history if message["role"] == "system")
    return [
        block for message in systems for block in content_blocks(message) if block["type"] == "text"
    ]


def message_blocks(history: Iterable[Message]) -> list[MessageBlocks]:
    """Each message with its blocks; system messages, which are sent apart, with none."""
    return [
        (message, [] if message["role"] == "system" else _blocks(message)) for message in history
    ]


def wire_messages(messages: Iterable[MessageBlocks]) -> list[dict[str, Any]]:
    """The messages of a complete history, adjacent ones of one role merged. Results follow their
    calls, so they come first in their message."""
    wire: list[dict[str, Any]] = []
    for message, blocks in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        if not blocks:
            continue
        if wire and wire[-1]["role"] == role:
            wire[-1]["content"] += blocks
        else:
            wire.append({"role": role, "content": list(blocks)})
    return _without_trailing_space(wire)


def wire_tools(tools: Iterable[ToolDefinition]) -> list[dict[str, Any]]:
    return [_wire_tool(tool["function"]) for tool in tools if "function" in tool]


def wire_choice(tool_choice: ToolChoice) -> dict[str, Any]:
    if isinstance(tool_choice, dict):
        return {"type": "tool", "name": fit_name(tool_choice["function"]["name"])}
    return {"type": _CHOICES[tool_choice]}


def inexpressible(
    messages: Iterable[MessageBlocks], tools: Iterable[ToolDefinition]
) -> Iterator[str]:
    """Notes about what the API does not accept."""
    for place, (message, blocks) in enumerate(messages):
        for kind in left_out(message):
            yield f"Message {place} has a part of type {kind}, which the API does not take."
        for call in message.get("tool_calls", ()):
            if is_wrapped(call):
                yield f"Arguments of call {call['id']} are no JSON object, and were put into one."
        if not blocks and message["role"] != "system":
            yield f"Message {place} was left out: it is empty."
    for tool in tools:
        name = tool.get("function", {}).get("name", "")
        if is_cut(name):
            most = f"{MAX_ANTHROPIC_NAME} characters"
            yield f"The name of the tool {name} was cut: it has more than {most}."


def _blocks(message: Message) -> list[Block]:
    if message["role"] == "tool":
        return [result_block(message)]
    blocks = [*content_blocks(message), *map(use_block, message.get("tool_calls", ()))]
    # A message may not end with thinking.
    return [*_thoughts(message), *blocks] if blocks else []


def _thoughts(message: Message) -> list[Block]:
    kept = message.get("thinking_blocks")
    return [block for block in kept if isinstance(block, dict)] if isinstance(kept, list) else []


def _without_trailing_space(wire: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages; a final assistant text without trailing whitespace, which the API refuses."""
    if wire and wire[-1]["role"] == "assistant":
        last = wire[-1]["content"][-1]
        if last["type"] == "text":
            wire[-1]["content"][-1] = {**last, "text": last["text"].rstrip()}
    return wire


def _wire_tool(function: dict[str, Any]) -> dict[str, Any]:
    wire: dict[str, Any] = {"name": fit_name(function["name"])}
    if isinstance(function.get("description"), str):
        wire["description"] = function["description"]
    schema = function.get("parameters")
    if not schema or not isinstance(schema, dict):
        schema = {"properties": {}}
    return {**wire, "input_schema": {"type": "object", **schema}}
