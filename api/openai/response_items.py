"""The input of `/v1/responses`, as messages of chat completions."""

from typing import Any

from api.openai import checks
from api.openai.call import Asked
from api.openai.chat_messages import asked
from api.openai.contents import read
from api.openai.errors import refused, unsupported
from chat.llm.messages import ToolCall

Item = dict[str, Any]
ROLES = ("system", "developer", "user", "assistant")


def read_input(value: object) -> Asked:
    """Raises `OpenAIError`."""
    if isinstance(value, str):
        return asked([{"role": "user", "content": value}], "input")
    items = checks.objects(value, "input")
    messages: list[Item] = []
    for place, item in enumerate(items):
        _append(messages, item, f"input[{place}]")
    return asked(messages, "input")


def _append(messages: list[Item], item: Item, at: str) -> None:
    """Appends the item, or makes it a call of the assistant's message before it."""
    kind = item.get("type", "message")
    if kind == "message":
        checks.only_keys(item, at, ("type", "role", "content", "id", "status", "phase"))
        role = checks.one_of(item.get("role"), f"{at}.role", ROLES)
        content = item.get("content")
        if role == "assistant":
            content = read(content, f"{at}.content", takes_files=False).text
        messages.append({"role": role, "content": content})
    elif kind == "function_call":
        checks.only_keys(item, at, ("type", "call_id", "name", "arguments", "id", "status"))
        names = {"name": item.get("name"), "arguments": item.get("arguments")}
        call = {"id": item.get("call_id"), "type": "function", "function": names}
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant", "content": None})
        messages[-1].setdefault("tool_calls", []).append(call)
    elif kind == "function_call_output":
        checks.only_keys(item, at, ("type", "call_id", "output", "id", "status"))
        output = item.get("output")
        if not isinstance(output, str):
            output = read(output, f"{at}.output", takes_files=False).text
        call_id = checks.text(item.get("call_id"), f"{at}.call_id")
        messages.append({"role": "tool", "tool_call_id": call_id, "content": output})
    else:
        raise unsupported(f"{at}.type", f"an item of type {kind!s:.40} has no place here.")


def read_next(value: object, calls: list[ToolCall]) -> Asked:
    """An input that follows a response with these calls. Raises `OpenAIError`."""
    if isinstance(value, str):
        items: list[Item] = [{"role": "user", "content": value}]
    else:
        items = checks.objects(value, "input")
    messages: list[Item] = []
    if calls:
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
    for place, item in enumerate(items):
        if item.get("role") == "assistant" or item.get("type") == "function_call":
            raise refused(f"input[{place}]", "The answer before is in “previous_response_id”.")
        _append(messages, item, f"input[{place}]")
    return asked(messages, "input")
