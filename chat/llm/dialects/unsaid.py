"""Sentences about what was meant and a dialect could not express."""

from collections.abc import Iterable, Sequence

from chat.llm import parts
from chat.llm.messages import Message, ToolChoice, ToolDefinition


def left_out(orphans: Iterable[Message]) -> list[str]:
    """About results that `Pairing` could not bring to a call."""
    return [
        f"The tool result {result.get('tool_call_id') or 'without an id'} was left out: it answers "
        "no call, or one that is answered already."
        for result in orphans
    ]


def not_text(messages: Iterable[Message]) -> list[str]:
    """About parts that a model which reads only text does not get."""
    return [
        f"Message {place} has a part of type {kind}, which was left out: it is not text."
        for place, kind in parts.without_text(messages)
    ]


def no_functions(tools: Iterable[ToolDefinition]) -> list[str]:
    """About a provider's own tools."""
    return [
        f"The tool {tool.get('type')} was left out: it is not a function."
        for tool in tools
        if "function" not in tool
    ]


def nothing_to_choose(tools: Sequence[ToolDefinition], tool_choice: ToolChoice | None) -> list[str]:
    """About a choice among no tools at all."""
    if tools or tool_choice in (None, "auto", "none"):
        return []
    return ["The model cannot be made to call a tool: it is given none."]


def left_to_the_model(tool_choice: ToolChoice | None) -> list[str]:
    """About a choice that a prompt of text cannot force."""
    if isinstance(tool_choice, dict):
        wanted = tool_choice["function"]["name"]
        return [f"The model cannot be made to call {wanted}: it decides by itself."]
    if tool_choice == "required":
        return ["The model cannot be made to call a tool: it decides by itself."]
    return []
