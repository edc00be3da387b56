"""A canonical conversation from JSON of unknown origin.

Accepted beside the canonical form: tool definitions without their wrapper, arguments that are not
yet JSON text, content parts without a type, the role `developer` (OpenAI's newer `system`), missing
ids of calls and results, a tool choice that names its function without the wrapper.
"""

from dataclasses import dataclass, field
from typing import Any

from chat.llm.errors import MalformedConversation
from chat.llm.json_text import prompt_json
from chat.llm.messages import ContentPart, Message, ToolCall, ToolChoice, ToolDefinition, tool_call

_ROLES = {role: role for role in ("system", "user", "assistant", "tool")} | {"developer": "system"}
_CHOICES = ("auto", "none", "required")


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages, tools and tool choice of a model call."""

    messages: list[Message]
    tools: list[ToolDefinition] = field(default_factory=list)
    tool_choice: ToolChoice | None = None


def read_conversation(value: object) -> Conversation:
    """`{"messages": […], "tools": […]?, "tool_choice": …?}` in canonical form.

    Other keys are kept; dialects drop those that they do not send.
    Raises MalformedConversation.
    """
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        raise MalformedConversation("A conversation is an object with a list of messages.")
    tools = value.get("tools")
    if not isinstance(tools, list | None):
        raise MalformedConversation("tools is not a list.")
    return Conversation(
        [_message(message, f"messages[{n}]") for n, message in enumerate(value["messages"])],
        [_tool(tool, f"tools[{n}]") for n, tool in enumerate(tools or ())],
        _tool_choice(value.get("tool_choice")),
    )


def _message(value: object, where: str) -> Message:
    message: Any = _object(value, where)
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise MalformedConversation(f"{where}.role is none of system, user, assistant, tool.")
    message = {**message, "role": _ROLES[role]}
    if "content" in message:
        message["content"] = _content(message["content"], f"{where}.content")
    if role == "assistant":
        _read_calls(message, f"{where}.tool_calls")
    if role == "tool":
        message["tool_call_id"] = _text(message.get("tool_call_id") or "", f"{where}.tool_call_id")
    read: Message = message
    return read


def _content(value: object, where: str) -> str | list[ContentPart] | None:
    if isinstance(value, str | None):
        return value
    if isinstance(value, list):
        return [_part(part, f"{where}[{n}]") for n, part in enumerate(value)]
    raise MalformedConversation(f"{where} is neither text nor a list of parts.")


def _part(value: object, where: str) -> ContentPart:
    if isinstance(value, str):
        return {"type": "text", "text": value}
    part = _object(value, where)
    if "text" in part and part.get("type", "text") == "text":
        return {"type": "text", **part, "text": _text(part["text"], f"{where}.text")}
    return part


def _read_calls(message: dict[str, Any], where: str) -> None:
    """Translates the calls of a message to canonical form; removes an empty list."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list | None):
        raise MalformedConversation(f"{where} is not a list.")
    if calls:
        message["tool_calls"] = [_tool_call(call, f"{where}[{n}]") for n, call in enumerate(calls)]
    else:
        message.pop("tool_calls", None)


def _tool_call(value: object, where: str) -> ToolCall:
    call = _object(value, where)
    function = _object(call.get("function"), f"{where}.function")
    arguments = function.get("arguments")
    return tool_call(
        _text(call.get("id") or "", f"{where}.id"),
        _text(function.get("name"), f"{where}.function.name"),
        arguments if isinstance(arguments, str) else prompt_json(arguments or {}),
    )


def _tool(value: object, where: str) -> ToolDefinition:
    """A definition in its wrapper. Tools that a provider runs, which are no functions, are kept."""
    tool = _object(value, where)
    if "function" in tool:
        function = _object(tool["function"], f"{where}.function")
        _text(function.get("name"), f"{where}.function.name")
        return {"type": "function", **tool}
    if isinstance(tool.get("name"), str) and tool.get("type", "function") == "function":
        function = {key: value for key, value in tool.items() if key != "type"}
        return {"type": "function", "function": function}
    if isinstance(tool.get("type"), str) and tool["type"] != "function":
        return tool
    raise MalformedConversation(f"{where} has no name.")


def _tool_choice(value: object) -> ToolChoice | None:
    if value is None or value in _CHOICES:
        return value
    if isinstance(value, str):
        raise MalformedConversation("tool_choice is none of auto, none, required.")
    choice = _object(value, "tool_choice")
    if "function" not in choice and isinstance(choice.get("name"), str):
        return {"type": "function", "function": {"name": choice["name"]}}
    function = _object(choice.get("function"), "tool_choice.function")
    _text(function.get("name"), "tool_choice.function.name")
    return choice


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedConversation(f"{where} is not an object.")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise MalformedConversation(f"{where} is not text.")
    return value
