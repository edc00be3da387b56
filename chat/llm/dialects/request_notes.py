"""Notes for people: what of a model input a dialect cannot express."""

from collections.abc import Iterable, Sequence

from chat.llm import parts
from chat.llm.messages import Message, ToolChoice, ToolDefinition


def orphaned_results(orphans: Iterable[Message]) -> list[str]:
    """Results without a call that they answer (`Pairing.orphans`)."""
    return [
        f"The tool result {result.get('tool_call_id') or 'without an id'} was left out: it answers "
        "no call, or one that is answered already."
        for result in orphans
    ]


def unsent_parts(messages: Iterable[Message]) -> list[str]:
    """Parts that are not sent to a model which reads only text."""
    return [
        f"Message {place} has a part of type {kind}, which was left out: it is not text."
        for place, kind in parts.without_text(messages)
    ]


def provider_tools(tools: Iterable[ToolDefinition]) -> list[str]:
    """Tools that the provider runs, which are no functions."""
    return [
        f"The tool {tool.get('type')} was left out: it is not a function."
        for tool in tools
        if "function" not in tool
    ]


def choice_without_tools(
    tools: Sequence[ToolDefinition], tool_choice: ToolChoice | None
) -> list[str]:
    """A tool choice in a request without tools."""
    if tools or tool_choice in (None, "auto", "none"):
        return []
    return ["The model cannot be made to call a tool: it is given none."]


def unenforced_choice(tool_choice: ToolChoice | None) -> list[str]:
    """A tool choice that a text prompt cannot enforce."""
    if isinstance(tool_choice, dict):
        wanted = tool_choice["function"]["name"]
        return [f"The model cannot be made to call {wanted}: it decides by itself."]
    if tool_choice == "required":
        return ["The model cannot be made to call a tool: it decides by itself."]
    return []
